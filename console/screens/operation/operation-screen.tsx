/** The screen of who runs the server: what it does now, what was slow, keys, and backups. */

import type { JSX } from "preact";
import { currentRoute, setParameters } from "../../state/route.ts";
import { Tabs } from "../../ui/tabs.tsx";
import { BackupPanel } from "./backup-panel.tsx";
import { KeyList } from "./key-list.tsx";
import { LiveCharts } from "./live-charts.tsx";
import { SlowQueries } from "./slow-queries.tsx";
import "./operation.css";

const TABS = [
  { value: "live", text: "Live" },
  { value: "slow", text: "Slow queries" },
  { value: "keys", text: "Keys" },
  { value: "backups", text: "Backups" },
] as const;
type TabName = (typeof TABS)[number]["value"];

/** The screen. */
export function OperationScreen(): JSX.Element {
  const asked = currentRoute.value.parameters.get("tab");
  const tab = TABS.find(({ value }) => value === asked)?.value ?? "live";
  return (
    <>
      <div class="screen-head">
        <h1>Operation</h1>
      </div>
      <Tabs
        label="Operation"
        tabs={TABS}
        value={tab}
        panelId="operation-panel"
        onSelect={(value) => setParameters({ tab: value === "live" ? undefined : value })}
      />
      <div
        id="operation-panel"
        role="tabpanel"
        aria-label={TABS.find(({ value }) => value === tab)?.text}
        class="operation-panel"
      >
        <Panel tab={tab} />
      </div>
    </>
  );
}

function Panel({ tab }: { readonly tab: TabName }): JSX.Element {
  switch (tab) {
    case "live":
      return <LiveCharts />;
    case "slow":
      return <SlowQueries />;
    case "keys":
      return <KeyList />;
    case "backups":
      return <BackupPanel />;
  }
}
