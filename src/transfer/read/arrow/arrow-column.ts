/** Types of Arrow columns as attribute types; the table is in docs/import.md. */

import { type DataType, Precision, TimeUnit, Type } from "@uwdata/flechette";
import type { ColumnForm } from "../column-faults.ts";
import {
  decimalForm,
  FINE_TIME_NOTE,
  foreignForm,
  listForm,
  nestedForm,
  scalarForm,
} from "../column-faults.ts";

/** What the values of a column become. */
export function arrowColumnForm(type: DataType): ColumnForm {
  switch (type.typeId) {
    case Type.Dictionary:
      return arrowColumnForm(type.dictionary);
    case Type.RunEndEncoded:
      return arrowColumnForm(type.children[1].type);
    case Type.Null:
      return { note: "has nulls alone" };
    case Type.Int:
      return scalarForm(type.bitWidth === 64 && !type.signed ? "uint" : "int");
    case Type.Float:
      return scalarForm("float");
    case Type.Bool:
      return scalarForm("bool");
    case Type.Utf8:
    case Type.LargeUtf8:
    case Type.Utf8View:
      return scalarForm("string");
    case Type.Binary:
    case Type.LargeBinary:
    case Type.BinaryView:
    case Type.FixedSizeBinary:
      return { type: { kind: "bytes" } };
    case Type.Decimal:
      return decimalForm(type.scale);
    case Type.Date:
      return scalarForm("datetime");
    case Type.Timestamp: {
      const isFine = type.unit === TimeUnit.MICROSECOND || type.unit === TimeUnit.NANOSECOND;
      return scalarForm("datetime", isFine ? FINE_TIME_NOTE : undefined);
    }
    case Type.FixedSizeList:
      return fixedListForm(type);
    case Type.List:
    case Type.LargeList:
    case Type.ListView:
    case Type.LargeListView:
      return listForm(arrowColumnForm(type.children[0].type));
    case Type.Struct:
      return nestedForm(
        "struct",
        type.children.map((child) => child.name),
      );
    case Type.Map:
      return nestedForm("map", []);
    default:
      return foreignForm("a time of day, a duration or a union", "make it a string or an integer");
  }
}

/** Lists of one length are vectors, if they are of floats. */
function fixedListForm(
  type: Extract<DataType, { readonly typeId: typeof Type.FixedSizeList }>,
): ColumnForm {
  const [{ type: of }] = type.children;
  if (of.typeId !== Type.Float) return listForm(arrowColumnForm(of));
  const element = of.precision === Precision.HALF ? "f16" : "f32";
  return { type: { kind: "vector", dimensions: type.stride, element } };
}
