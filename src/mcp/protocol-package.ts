/**
 * The exports that Trawl uses of the official package of the Model Context Protocol. The build
 * bundles it (`scripts/build-program.ts`), so the program needs none of its packages. It is large,
 * so the first use imports it.
 */

export { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
export { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
export { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
