/** The console: starts the shell in the page. */

import { render } from "preact";
import { Shell } from "./shell/shell.tsx";
import { applyTheme } from "./state/theme.ts";

applyTheme();
const place = document.getElementById("console");
if (place !== null) render(<Shell />, place);
