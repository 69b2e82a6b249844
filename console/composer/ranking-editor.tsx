/** Controls of one ranking. */

import type { JSX } from "preact";
import type { OrderRanking, Ranking, SparseRanking, TextRanking } from "../query/query-model.ts";
import { orderAttributes, sparseAttributes, textAttributes } from "../query/request-schema.ts";
import { Button } from "../ui/button.tsx";
import { CheckField, SelectField, TextField } from "../ui/field.tsx";
import { attributeChoices, type EditorProps, FieldProblem } from "./editor-props.tsx";
import { VectorEditor } from "./vector-editor.tsx";

/** The controls that a ranking of this kind has. */
export function RankingEditor(props: EditorProps<Ranking>): JSX.Element {
  const { value } = props;
  switch (value.kind) {
    case "text":
      return <TextEditor {...props} value={value} />;
    case "vector":
      return <VectorEditor {...props} value={value} />;
    case "sparse":
      return <SparseEditor {...props} value={value} />;
    case "order":
      return <OrderEditor {...props} value={value} />;
  }
}

function TextEditor(props: EditorProps<TextRanking>): JSX.Element {
  const { value, onChange, schema, problems, place } = props;
  const all = textAttributes(schema);
  if (all.length === 0) {
    return (
      <p class="composer-note">
        No attribute has full-text search. Turn it on in the schema with{" "}
        <code>"full_text_search": true</code>.
      </p>
    );
  }
  const setAttribute = (name: string, isChosen: boolean) => {
    const others = value.attributes.filter((attribute) => attribute.name !== name);
    onChange({ ...value, attributes: isChosen ? [...others, { name, weight: "1" }] : others });
  };
  return (
    <>
      <TextField
        label="Words"
        value={value.query}
        placeholder="walrus at sea"
        error={problems.get(`${place}.query`)}
        onInput={(query) => onChange({ ...value, query })}
      />
      <fieldset class="composer-set">
        <legend>In</legend>
        {all.map(({ name }) => (
          <CheckField
            key={name}
            label={name}
            isChecked={value.attributes.some((attribute) => attribute.name === name)}
            onChange={(isChosen) => setAttribute(name, isChosen)}
          />
        ))}
        <FieldProblem text={problems.get(`${place}.attributes`)} />
      </fieldset>
      {value.attributes.length > 1 && <TextWeights {...props} />}
      <CheckField
        label="The last word may be the beginning of one"
        isChecked={value.lastAsPrefix}
        onChange={(lastAsPrefix) => onChange({ ...value, lastAsPrefix })}
      />
    </>
  );
}

function TextWeights(props: EditorProps<TextRanking>): JSX.Element {
  const { value, onChange, problems, place } = props;
  return (
    <div class="composer-row">
      {value.attributes.map(({ name, weight }, i) => (
        <TextField
          key={name}
          label={`Weight of ${name}`}
          value={weight}
          error={problems.get(`${place}.attributes.${i}`)}
          onInput={(text) => {
            const attributes = value.attributes.with(i, { name, weight: text });
            onChange({ ...value, attributes });
          }}
        />
      ))}
      <SelectField
        label="Scores are"
        value={value.combine}
        choices={[
          { value: "Sum", text: "added up" },
          { value: "Max", text: "the greatest" },
        ]}
        onSelect={(combine) => onChange({ ...value, combine })}
      />
    </div>
  );
}

function SparseEditor(props: EditorProps<SparseRanking>): JSX.Element {
  const { value, onChange, schema, problems, place } = props;
  return (
    <>
      <SelectField
        label="Sparse vector"
        value={value.attribute}
        choices={attributeChoices(sparseAttributes(schema), value.attribute)}
        onSelect={(attribute) => onChange({ ...value, attribute })}
      />
      <TextField
        label="Dimensions and weights"
        value={value.entries}
        rows={4}
        isCode
        placeholder='{"walrus": 0.8}'
        error={problems.get(`${place}.entries`)}
        onInput={(entries) => onChange({ ...value, entries })}
      />
    </>
  );
}

function OrderEditor(props: EditorProps<OrderRanking>): JSX.Element {
  const { value, onChange, schema } = props;
  const all = orderAttributes(schema);
  const free = all.find(({ name }) => value.keys.every(({ attribute }) => attribute !== name));
  return (
    <>
      {value.keys.map((key, i) => (
        <div class="composer-row" key={i}>
          <SelectField
            label={i === 0 ? "Order by" : "Then by"}
            value={key.attribute}
            choices={attributeChoices(all, key.attribute)}
            onSelect={(attribute) =>
              onChange({ ...value, keys: value.keys.with(i, { ...key, attribute }) })
            }
          />
          <SelectField
            label="Direction"
            value={key.direction}
            choices={[
              { value: "asc", text: "least first" },
              { value: "desc", text: "greatest first" },
            ]}
            onSelect={(direction) =>
              onChange({ ...value, keys: value.keys.with(i, { ...key, direction }) })
            }
          />
          <Button
            look="quiet"
            label={`Remove the order by ${key.attribute}`}
            onClick={() => onChange({ ...value, keys: value.keys.toSpliced(i, 1) })}
          >
            ✕
          </Button>
        </div>
      ))}
      {value.keys.length === 0 && (
        <p class="composer-note">Without an order, documents come by id.</p>
      )}
      {free !== undefined && (
        <Button
          look="quiet"
          onClick={() =>
            onChange({
              ...value,
              keys: [...value.keys, { attribute: free.name, direction: "asc" }],
            })
          }
        >
          + Order by one more
        </Button>
      )}
    </>
  );
}
