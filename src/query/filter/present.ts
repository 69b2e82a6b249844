import { oneStep } from "../../base/steps.ts";
import { andBits } from "../documents/ordinal-bits.ts";
import type { PredicateOperator } from "../operator/operator.ts";
import {
  type AttributeNode,
  attributeNeeds,
  attributeSource,
  presentIn,
} from "./attribute-source.ts";

/** The attribute has a value. */
export interface PresentNode extends AttributeNode {
  readonly kind: "present";
}

/** Tests for values that are not null. */
export const PRESENT: PredicateOperator<PresentNode> = {
  kind: "present",
  cost: () => 0,
  grain: () => "ordinals",
  needs: ({ attribute }, { view }) => attributeNeeds(attribute, view),
  run: ({ attribute }, { view, within }) =>
    oneStep(() => andBits(presentIn(attributeSource(attribute, view), view.documentCount), within)),
  matches: ({ attribute }, { current }) => current(attribute) !== null,
  explain: ({ attribute }, label) => [`${label}: ${attribute} is not null`],
};
