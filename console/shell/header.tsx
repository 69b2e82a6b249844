/** The bar above all screens: where one is, where one can go, and by what key. */

import type { JSX } from "preact";
import { currentRoute, type Route, routePath } from "../state/route.ts";
import { denial } from "../state/session.ts";
import { setTheme, THEMES, type Theme, theme } from "../state/theme.ts";
import { SelectField } from "../ui/field.tsx";
import { KeyButton } from "./key-entry.tsx";
import { SCREENS, type ScreenEntry } from "./screen-table.ts";

const THEME_TEXTS: Readonly<Record<Theme, string>> = {
  system: "Theme: system",
  light: "Theme: light",
  dark: "Theme: dark",
  contrast: "Theme: high contrast",
};

/** The header with the navigation. */
export function Header(): JSX.Element {
  const route = currentRoute.value;
  return (
    <header class="header">
      <div class="header-bar">
        <a class="brand" href="/console/">
          Trawl
        </a>
        <nav aria-label="Console" class="nav">
          {SCREENS.filter(({ ofNamespace }) => !ofNamespace).map((entry) => (
            <NavLink key={entry.name} entry={entry} route={route} />
          ))}
        </nav>
        <span class="header-space" />
        <code class="address" title="The server that this console works with">
          {location.host}
        </code>
        <KeyButton />
        <SelectField
          label="Theme"
          hidesLabel
          value={theme.value}
          choices={THEMES.map((value) => ({ value, text: THEME_TEXTS[value] }))}
          onSelect={setTheme}
        />
      </div>
      {route.namespace !== undefined && (
        <nav aria-label={`Namespace ${route.namespace}`} class="nav nav-namespace">
          <span class="namespace-name" title={route.namespace}>
            {route.namespace}
          </span>
          {SCREENS.filter(({ ofNamespace }) => ofNamespace).map((entry) => (
            <NavLink key={entry.name} entry={entry} route={route} />
          ))}
        </nav>
      )}
    </header>
  );
}

function NavLink(props: { readonly entry: ScreenEntry; readonly route: Route }): JSX.Element {
  const { entry, route } = props;
  const namespace = entry.ofNamespace ? route.namespace : undefined;
  const denied = denial(entry.action, namespace);
  const isHere =
    route.screen === entry.name ||
    // Screens of a namespace are below the list of them.
    (entry.name === "namespaces" && route.namespace !== undefined);
  return (
    <a
      href={routePath(entry.name, namespace)}
      aria-current={route.screen === entry.name ? "page" : isHere ? "true" : undefined}
      class={denied === undefined ? "nav-link" : "nav-link nav-denied"}
      title={denied}
    >
      {entry.title}
    </a>
  );
}
