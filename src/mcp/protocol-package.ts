/**
 * What is used of the official package of the Model Context Protocol. The build bundles it
 * (`scripts/build-program.ts`), so that the program needs none of its packages; it is large, and so
 * imported when it is first used.
 */

export { createMcpHandler, fromJsonSchema, McpServer } from "@modelcontextprotocol/server";
export { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
export { AjvJsonSchemaValidator } from "@modelcontextprotocol/server/validators/ajv";
