/** Checks that a TLS certificate and its key are a pair, and how long the certificate is valid. */

import { X509Certificate } from "node:crypto";
import { type Clock, formatTime } from "../../base/clock.ts";
import { TlsFiles, type TlsPaths } from "../../http/connections/tls-files.ts";
import { type Finding, fault, ok, warning } from "./finding.ts";

/** A certificate that ends sooner should be renewed by now. */
const VALID_MS_ADVISED = 14 * 24 * 3_600_000;

/** Checks the pair as a server does at its start. */
export async function examineTls(paths: TlsPaths, clock: Clock): Promise<Finding> {
  let certificate: X509Certificate;
  try {
    const { pair } = await TlsFiles.open(paths);
    certificate = new X509Certificate(pair.cert);
  } catch (error) {
    const cure = "give --tls-cert and --tls-key the files of one pair, in PEM";
    return fault("TLS", (error as Error).message, cure);
  }
  const [startMs, endMs] = [certificate.validFrom, certificate.validTo].map(Date.parse);
  const nowMs = clock.nowMs();
  const names = certificate.subjectAltName ?? certificate.subject;
  const seen = `a certificate for ${names} until ${formatTime(endMs)}`;
  if (nowMs < startMs) return fault("TLS", `${seen}, not valid yet`, "check the clock");
  if (nowMs >= endMs) return fault("TLS", `${seen}, which has expired`, "renew it");
  return endMs - nowMs < VALID_MS_ADVISED ? warning("TLS", seen, "renew it soon") : ok("TLS", seen);
}
