/** The console: starts the shell in the page. */

import { render } from "preact";
import { Shell } from "./shell/shell.tsx";
import { followHistory } from "./state/route.ts";
import { followCaller } from "./state/session.ts";
import { applyTheme } from "./state/theme.ts";

applyTheme();
followHistory();
followCaller();
const place = document.getElementById("console");
if (place !== null) render(<Shell />, place);
