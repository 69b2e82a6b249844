/** Documents that the tables about answers of the wire contract ask for. */

/** The model whose vectors the attribute `about` has. */
export const ABOUT_MODEL = "openai/text-embedding-3-small";

/** The write request of three documents with a vector each; not all have the other attributes. */
export const ANSWER_DOCUMENTS = {
  distance_metric: "cosine_distance",
  schema: {
    text: { type: "string", full_text_search: true },
    about: { type: "string", embed: ABOUT_MODEL },
    price: "float",
    at: "datetime",
    hidden: { type: "int", filterable: false },
  },
  upsert_rows: [
    {
      id: 1,
      vector: [1, 0],
      about: "a",
      text: "hello world",
      kind: "a",
      n: 1,
      price: 0.1,
      tags: ["x", "y", "x"],
      sizes: [1],
      hidden: 3,
      at: "2024-01-01",
    },
    { id: 2, vector: [0, 1], about: "b", text: "bye", kind: "a", n: 5, price: 1e300, tags: [] },
    { id: 3, vector: [1, 1], about: "c", kind: "b", n: -7 },
  ],
};
