/**
 * Whether the server of this container answers: exits with 0 if so, with 1 and a reason if not. For
 * health checks of images that have no other client. The server's own settings say where it
 * listens.
 */

import http from "node:http";
import https from "node:https";

/** How long an answer may take. */
const ANSWER_MS_MAX = 4000;

const isTls = Boolean(process.env.TRAWL_TLS_CERT);
const url = `http${isTls ? "s" : ""}://127.0.0.1:${process.env.TRAWL_PORT || 8484}/healthz`;

function fail(reason) {
  console.error(`${url} ${reason}`);
  process.exit(1);
}

// The certificate is for another name than this address.
const request = (isTls ? https : http).get(url, { rejectUnauthorized: false }, (answer) => {
  if (answer.statusCode !== 200) fail(`answers ${answer.statusCode}`);
  process.exit(0);
});
request.setTimeout(ANSWER_MS_MAX, () => fail(`does not answer within ${ANSWER_MS_MAX} ms`));
request.on("error", (error) => fail(`does not answer: ${error.message}`));
