/** Vitest's set-up of each test file: files share a process, and none may depend on another. */

import { restartFixtureSeeds } from "./fixture-seeds.ts";

restartFixtureSeeds();
