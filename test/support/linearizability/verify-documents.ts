import { checkHistory } from "./check-history.ts";
import type { DocumentsHistory } from "./document-client.ts";
import {
  type DocumentsState,
  documentsModel,
  documentsText,
  historyOfDocument,
  namespaceModel,
} from "./document-model.ts";
import { explainViolation } from "./explain-violation.ts";

/**
 * Throws unless the history of a namespace is linearizable. Each document is checked by itself
 * first, since a violation is then shown by few operations; then all documents together, so that no
 * read of several documents mixes two states.
 */
export function verifyDocuments(
  name: string,
  { operations }: DocumentsHistory,
  initial: DocumentsState,
): void {
  const [one, all] = [documentsModel(initial), namespaceModel(initial)];
  const parts = [
    ...initial.map((_, id) => {
      const part = historyOfDocument(operations, id);
      return { subject: `document ${id} of ${name}`, part, model: one };
    }),
    { subject: `all documents of ${name}`, part: operations, model: all },
  ];
  for (const { subject, part, model } of parts) {
    const verdict = checkHistory(model, part);
    switch (verdict.kind) {
      case "linearizable":
        break;
      case "illegal": {
        const explanation = explainViolation(model, part, documentsText);
        throw new Error(`the history of ${subject} is not linearizable:\n${explanation}`);
      }
      case "unknown": {
        const limit = `${verdict.configurations} configurations`;
        throw new Error(
          `unknown whether the history of ${subject} is linearizable: the check of ` +
            `${part.length} operations ends after ${limit}`,
        );
      }
    }
  }
}
