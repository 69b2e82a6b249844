/** A vector in few pixels: the shape of its numbers, by which rows can be told apart. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { theme } from "../../state/theme.ts";
import { outlineOf, vectorValues } from "./vector-values.ts";

const WIDTH_PX = 120;
const HEIGHT_PX = 22;

/** Draws a vector as an answer has it; its dimensions are read out. */
export function Sparkline(props: { readonly value: unknown }): JSX.Element {
  const { value } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const look = theme.value;
  const values = vectorValues(value);
  useEffect(() => {
    if (canvas.current !== null && values !== undefined) draw(canvas.current, values);
  }, [value, look]);
  if (values === undefined) return <span class="muted">no vector</span>;
  const first = [...values.subarray(0, 6)].map((each) => each.toPrecision(3)).join(", ");
  const label = `${values.length} dimensions: ${first}${values.length > 6 ? ", …" : ""}`;
  return (
    <canvas
      ref={canvas}
      class="sparkline"
      width={WIDTH_PX * 2}
      height={HEIGHT_PX * 2}
      role="img"
      aria-label={label}
      title={label}
    />
  );
}

function draw(canvas: HTMLCanvasElement, values: Float32Array): void {
  const context = canvas.getContext("2d");
  if (context === null) return;
  const { width, height } = canvas;
  const { least, greatest } = outlineOf(values, WIDTH_PX);
  const highest = Math.max(...least.map(Math.abs), ...greatest.map(Math.abs)) || 1;
  const style = getComputedStyle(canvas);
  context.clearRect(0, 0, width, height);
  context.fillStyle = style.color;
  const step = width / least.length;
  const top = (value: number) => height / 2 - (value / highest) * (height / 2 - 1);
  for (let part = 0; part < least.length; part++) {
    // From zero, so that the sign can be seen.
    const from = top(Math.max(0, greatest[part]));
    const to = top(Math.min(0, least[part]));
    context.fillRect(part * step, from, Math.max(1, step * 0.8), Math.max(1, to - from));
  }
}
