/** Settings that name folders with embedding models. */

import { resolve } from "node:path";
import type { EngineConfig, ModelPath } from "../../api/config.ts";
import { SettingFault } from "./parse-setting.ts";
import type { GivenSettings } from "./read-settings.ts";
import { settingValue } from "./setting-value.ts";

/** Names that begin so are those of Trawl's own models. */
const OWN_MODELS = "trawl/";
/** Settings that name models in folders, with how many each takes; our choice. */
const MODEL_SETTINGS = {
  "static-models": { countMax: 16, example: "acme/potion=./potion-base-8M" },
  "onnx-models": { countMax: 4, example: "acme/minilm=./all-MiniLM-L6-v2" },
} as const;

/**
 * Embedding models in folders, of which no two have one name. Throws `SettingFault` for what is no
 * name and folder.
 */
export function modelFolders(
  given: GivenSettings,
): Pick<EngineConfig, "staticModels" | "onnxModels"> {
  const staticModels = modelPaths(given, "static-models");
  const onnxModels = modelPaths(given, "onnx-models");
  const both = onnxModels.find(({ name }) => staticModels.some((model) => model.name === name));
  if (both !== undefined) {
    throw new SettingFault(
      `--onnx-models names ${both.name}, as --static-models does; give one of them another name`,
    );
  }
  return { staticModels, onnxModels };
}

function modelPaths(
  given: GivenSettings,
  setting: keyof typeof MODEL_SETTINGS,
): readonly ModelPath[] {
  const { countMax, example } = MODEL_SETTINGS[setting];
  const models = settingValue(given, setting).map((text) => {
    const at = text.indexOf("=");
    const model = { name: text.slice(0, Math.max(at, 0)), path: text.slice(at + 1) };
    if (model.name === "" || model.path === "") {
      throw new SettingFault(`--${setting}: ${text} is no name=folder, such as ${example}`);
    }
    if (model.name.startsWith(OWN_MODELS)) {
      throw new SettingFault(
        `--${setting}: ${model.name} begins with ${OWN_MODELS}, as Trawl's own models do; ` +
          "give it another name",
      );
    }
    return { ...model, path: resolve(model.path) };
  });
  if (models.length > countMax) {
    throw new SettingFault(
      `--${setting} names ${models.length} folders; it takes at most ${countMax}: ` +
        "leave out those that no schema names",
    );
  }
  const twice = models.find(({ name }, i) => models.findIndex((m) => m.name === name) < i);
  if (twice !== undefined) {
    throw new SettingFault(`--${setting} names ${twice.name} twice`);
  }
  return models;
}
