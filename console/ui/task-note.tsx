/** How a task goes on, with the means to stop it, and what went wrong. */

import type { JSX } from "preact";
import type { Task } from "../state/use-task.ts";
import { Button } from "./button.tsx";
import { ErrorNote, Progress, Spinner } from "./notes.tsx";
import "./task-note.css";

type ShownTask = Pick<Task<unknown>, "step" | "share" | "fault" | "stop">;

/** Nothing while the task neither runs nor has failed. */
export function TaskNote({ task }: { readonly task: ShownTask }): JSX.Element {
  const { step, share, fault, stop } = task;
  return (
    <>
      {step !== undefined && (
        <div class="task-note">
          {share === undefined ? <Spinner label={step} /> : <Progress label={step} value={share} />}
          <Button look="quiet" onClick={stop}>
            Stop
          </Button>
        </div>
      )}
      {fault !== undefined && <ErrorNote fault={fault} />}
    </>
  );
}
