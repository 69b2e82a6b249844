/** One setting's value, from the text of a flag or variable or the JSON of a file. */

import { resolve } from "node:path";
import { DURATION_FORM, durationText, parseDuration } from "../../base/duration.ts";
import { nearestName } from "../../base/nearest-name.ts";
import type { Setting } from "./setting-table.ts";

/** A parsed value; which of these follows from the setting's kind. */
export type SettingValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, number>>;

/** The configuration is wrong; `message` is all that the user needs. */
export class SettingFault extends Error {}

const BYTE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
};

const BINARY_UNITS = [
  ["TiB", 2 ** 40],
  ["GiB", 2 ** 30],
  ["MiB", 2 ** 20],
  ["KiB", 2 ** 10],
] as const;

/** Reads `raw` by the setting's kind; throws `SettingFault` naming `origin` and the rule. */
export function parseSetting(setting: Setting, raw: unknown, origin: string): SettingValue {
  const fault = (rule: string): SettingFault => {
    const shown = setting.secret ? "a secret value" : JSON.stringify(raw);
    return new SettingFault(`${origin}: ${shown} ${rule}`);
  };
  const { type } = setting;
  switch (type.kind) {
    case "integer":
    case "bytes": {
      const isBytes = type.kind === "bytes";
      const value = isBytes ? parseBytes(raw) : parseInteger(raw);
      if (value === undefined || value < type.min || value > type.max) {
        const form = isBytes ? "number of bytes, such as 512MiB or 4GB," : "number";
        const [min, max] = [type.min, type.max].map(isBytes ? bytesText : String);
        throw fault(`is not a whole ${form} from ${min} to ${max}`);
      }
      return value;
    }
    case "duration": {
      const ms = typeof raw === "string" ? parseDuration(raw) : undefined;
      if (ms !== undefined && ms >= type.min && ms <= type.max) return ms;
      const [min, max] = [type.min, type.max].map(durationText);
      throw fault(`is not ${DURATION_FORM}, from ${min} to ${max}`);
    }
    case "share":
      return parseShare(raw) ?? raise(fault("is no number from 0 to 1, such as 0.01"));
    case "choice": {
      if (typeof raw === "string" && type.choices.includes(raw)) return raw;
      const nearest = nearestName(String(raw), type.choices);
      throw fault(`is not one of: ${type.choices.join(", ")}; the nearest is ${nearest}`);
    }
    case "text":
    case "path":
      if (typeof raw !== "string" || raw === "") {
        throw fault("is not a text of at least one character");
      }
      return type.kind === "path" ? resolve(raw) : raw;
    case "flag":
      if (raw === true || raw === "true" || raw === "1") return true;
      if (raw === false || raw === "false" || raw === "0") return false;
      throw fault("is neither true nor false");
    case "list":
      return parseList(raw) ?? raise(fault("is no list of texts, such as one,other"));
    case "dimensions":
      return (
        parseDimensions(raw) ??
        raise(fault("is no list of model=dimensions pairs, such as model=768,other=1024"))
      );
  }
}

function raise(error: Error): never {
  throw error;
}

function parseInteger(raw: unknown): number | undefined {
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? raw : undefined;
  if (typeof raw !== "string" || !/^\d{1,15}$/.test(raw)) return undefined;
  return Number(raw);
}

function parseShare(raw: unknown): number | undefined {
  const isText = typeof raw === "string" && /^\d{0,3}(\.\d{1,15})?$/.test(raw) && raw !== "";
  const value = isText ? Number(raw) : raw;
  return typeof value === "number" && value >= 0 && value <= 1 ? value : undefined;
}

function parseBytes(raw: unknown): number | undefined {
  if (typeof raw === "number") return parseInteger(raw);
  const parts = typeof raw === "string" ? /^(\d{1,15})\s*([A-Za-z]*)$/.exec(raw) : null;
  if (parts === null) return undefined;
  const unit = BYTE_UNITS[parts[2].toUpperCase()];
  return unit === undefined ? undefined : Number(parts[1]) * unit;
}

/** A size as users write it, in the greatest unit that it is a whole number of. */
export function bytesText(bytes: number): string {
  for (const [unit, size] of BINARY_UNITS) {
    if (bytes >= size && bytes % size === 0) return `${bytes / size}${unit}`;
  }
  return String(bytes);
}

function parseList(raw: unknown): readonly string[] | undefined {
  const texts = typeof raw === "string" ? raw.split(",").map((text) => text.trim()) : raw;
  if (!Array.isArray(texts) || texts.length === 0) return undefined;
  return texts.every((text) => typeof text === "string" && text !== "") ? texts : undefined;
}

function parseDimensions(raw: unknown): Readonly<Record<string, number>> | undefined {
  const pairs =
    typeof raw === "string"
      ? raw.split(",").map((pair) => splitLast(pair.trim(), "="))
      : typeof raw === "object" && raw !== null && !Array.isArray(raw)
        ? Object.entries(raw)
        : undefined;
  if (pairs === undefined) return undefined;
  const dimensions: Record<string, number> = Object.create(null);
  for (const [model, value] of pairs) {
    const count = parseInteger(value);
    if (model === "" || count === undefined || count < 1) return undefined;
    dimensions[model] = count;
  }
  return dimensions;
}

function splitLast(text: string, separator: string): [string, string] {
  const at = text.lastIndexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}
