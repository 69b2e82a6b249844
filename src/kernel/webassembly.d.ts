/** The part of WebAssembly's JavaScript interface that is used here; Node's types leave it out. */
declare namespace WebAssembly {
  /** Linear memory. */
  class Memory {
    constructor(descriptor: { initial: number; maximum: number; shared: boolean });
    readonly buffer: ArrayBuffer | SharedArrayBuffer;
  }
  /** Compiled code; may be posted to other threads. */
  class Module {
    private readonly brand: undefined;
  }
  /** Code bound to its imports. */
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: Readonly<Record<string, unknown>>;
  }
  function compile(bytes: Uint8Array): Promise<Module>;
  function validate(bytes: Uint8Array): boolean;
}
