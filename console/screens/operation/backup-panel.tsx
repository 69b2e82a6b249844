/** What protects against loss: checkpoints here, backups by commands that are composed here. */

import type { JSX } from "preact";
import { currentRoute, setParameters } from "../../state/route.ts";
import { denial, sessionKey } from "../../state/session.ts";
import { CodeBlock } from "../../ui/code-block.tsx";
import { TextField } from "../../ui/field.tsx";
import { EmptyState } from "../../ui/notes.tsx";
import { type BackupForm, backupCommands } from "./backup-commands.ts";
import { CheckpointList } from "./checkpoint-list.tsx";

/** See the file's head. */
export function BackupPanel(): JSX.Element {
  const denied = denial("admin");
  if (denied !== undefined) {
    return <EmptyState title="Backups are not for this key">{denied}.</EmptyState>;
  }
  return (
    <>
      <CheckpointList />
      <Commands />
    </>
  );
}

function Commands(): JSX.Element {
  const { parameters } = currentRoute.value;
  const form: BackupForm = {
    to: parameters.get("to") ?? "",
    only: parameters.get("only") ?? "",
    keep: parameters.get("keep") ?? "",
  };
  const set = (name: keyof BackupForm) => (value: string) =>
    setParameters({ [name]: value }, { replace: true });
  const server = { url: location.origin, needsKey: sessionKey.value !== undefined };
  const { backup, verify, restore, problems } = backupCommands(form, server);
  return (
    <section class="stack" aria-labelledby="backups-title">
      <h2 id="backups-title">Backups</h2>
      <p class="muted">
        Checkpoints are in the same store as what they keep. Backups are copies elsewhere. The
        server hands their bytes to a program with an admin's key and writes to no other place by
        itself, so a command makes them, which shows how far it is and copies only what is new. Say
        what it is to do, and run it where it reaches the server and that place.{" "}
        <a href="/docs/backup">More on backups</a>
      </p>
      <div class="bar bar-top">
        <TextField
          label="Into the directory or bucket"
          value={form.to}
          placeholder="/backups/trawl"
          hint="or s3://bucket/prefix"
          error={problems.to}
          onInput={set("to")}
        />
        <TextField
          label="Only the namespaces"
          value={form.only}
          placeholder="all"
          error={problems.only}
          onInput={set("only")}
        />
        <TextField
          label="Keep the newest"
          value={form.keep}
          placeholder="all"
          error={problems.keep}
          onInput={set("keep")}
        />
      </div>
      <CodeBlock label="the backup commands" code={backup} />
      <h3>Is it whole?</h3>
      <p class="muted">
        This reads every byte of the place and asks no server; it ends with code 1 where something
        is damaged.
      </p>
      <CodeBlock label="the command that verifies" code={verify} />
      <h3>Bring it back</h3>
      <p class="muted">
        Of the newest backup, the namespaces that the server does not have; one that it has stays as
        it is, and comes back beside it by another name.
      </p>
      <CodeBlock label="the restore commands" code={restore} />
    </section>
  );
}
