import { DatabaseError } from "../../base/errors.ts";
import { type S3StoreConfig, storeName } from "../store-config.ts";

/** What an error of the SDK says: an answer of the service, or a request that got none. */
export interface S3Failure {
  /** HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** The service's code, such as `NoSuchKey`, or the system's, such as `ECONNREFUSED`. */
  readonly code: string;
  readonly message: string;
}

/** Reads what the SDK threw. */
export function s3Failure(error: unknown): S3Failure {
  const { $metadata, code, name, message } = (error ?? {}) as {
    readonly $metadata?: { readonly httpStatusCode?: number };
    readonly code?: unknown;
    readonly name?: unknown;
    readonly message?: unknown;
  };
  const status = $metadata?.httpStatusCode;
  const isSystem = status === undefined && typeof code === "string";
  return {
    status,
    code: String(isSystem ? code : (name ?? "unknown")),
    message: String(message ?? error),
  };
}

/**
 * The object is absent. A 404 without the code is none: a server that is no S3 service, asked by
 * mistake, must not look like an empty store.
 */
export function isAbsentObject({ code }: S3Failure): boolean {
  return code === "NoSuchKey";
}

/** The range begins after the object's last byte. */
export function isBeyondEnd({ status, code }: S3Failure): boolean {
  return status === 416 || code === "InvalidRange";
}

/** The condition of a put does not hold: there is an object. */
export function isLostCondition({ status, code }: S3Failure): boolean {
  return status === 412 || code === "PreconditionFailed";
}

/** The put met another one that is under way, and was not written. */
export function isRacing({ status }: S3Failure): boolean {
  return status === 409;
}

const THROTTLES = new Set([
  "SlowDown",
  "Throttling",
  "ThrottlingException",
  "RequestLimitExceeded",
  "TooManyRequests",
  "TooManyRequestsException",
]);

/**
 * The operating error for a failed request: `overloaded` where the service asks for fewer,
 * `unavailable` for all else, also for wrong settings, since others may repair them while the
 * server runs. The message names the setting to look at.
 */
export function s3Error(action: string, cause: unknown, config: S3StoreConfig): DatabaseError {
  const failure = s3Failure(cause);
  const { status, code, message } = failure;
  const what = `cannot ${action} in ${storeName(config)}`;
  if (status === 429 || THROTTLES.has(code)) {
    const asked = "the service asks for fewer requests";
    return new DatabaseError("overloaded", `${what}: ${asked} (${code})`, { cause });
  }
  const said = status === undefined ? code : `${status} ${code}`;
  const detail = message === "" || message === code ? said : `${said}: ${firstLine(message)}`;
  const fix = fixOf(failure, config);
  const advice = fix === undefined ? "" : `; ${fix}`;
  return new DatabaseError("unavailable", `${what}: ${detail}${advice}`, { cause });
}

const CREDENTIALS =
  "credentials come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, from AWS_PROFILE, or from " +
  "the machine's role";

const ACCESS =
  "allow s3:GetObject, s3:PutObject, s3:DeleteObject and s3:ListBucket, or give other " +
  `credentials: ${CREDENTIALS}`;

/** What to do about each code of the service or the system. */
const FIXES: Readonly<Record<string, string>> = {
  AccessDenied: ACCESS,
  InvalidAccessKeyId: `this service does not know the access key: ${CREDENTIALS}`,
  SignatureDoesNotMatch: `the secret key is wrong, or --s3-region: ${CREDENTIALS}`,
  ExpiredToken: `the credentials have expired; get new ones: ${CREDENTIALS}`,
  ExpiredTokenException: `the credentials have expired; get new ones: ${CREDENTIALS}`,
  TokenRefreshRequired: `the credentials have expired; get new ones: ${CREDENTIALS}`,
  InvalidToken: `the session token is wrong (AWS_SESSION_TOKEN): ${CREDENTIALS}`,
  CredentialsProviderError: `no credentials were found: ${CREDENTIALS}`,
  TokenProviderError: `the login has ended; log in again: ${CREDENTIALS}`,
  RequestTimeTooSkewed: "set this machine's clock",
  InvalidBucketName: "correct the bucket's name in --object-store",
  NoSuchUpload: "somebody aborted it; a rule of the bucket must leave uploads a day to complete",
  NotImplemented: "this service lacks what Trawl needs (docs/object-stores.md)",
  EPROTO: "--s3-endpoint says https; does this service speak http?",
  ECONNREFUSED: "nothing listens there; correct --s3-endpoint, or start the service",
  EAI_AGAIN: "the name service does not answer",
};

function fixOf({ status, code }: S3Failure, config: S3StoreConfig): string | undefined {
  const { bucket, endpoint, pathStyle } = config;
  if (code === "NoSuchBucket") {
    return `create the bucket ${bucket}, or correct --object-store or --s3-region`;
  }
  if (code === "ENOTFOUND") {
    const style = pathStyle ? "" : ", or say --s3-path-style on if it has no host for each bucket";
    const name = endpoint === undefined ? "--s3-region" : "--s3-endpoint";
    return `correct ${name}: there is no such host${style}`;
  }
  const isElsewhere = code === "PermanentRedirect" || code === "AuthorizationHeaderMalformed";
  if (isElsewhere || status === 301 || status === 307) {
    return `the bucket ${bucket} is in another region or at another address; correct --s3-region${
      endpoint === undefined ? "" : " or --s3-endpoint"
    }`;
  }
  if (/CERT|^ERR_TLS|^UNABLE_TO_VERIFY/.test(code)) {
    return "the service's certificate is not trusted; NODE_EXTRA_CA_CERTS names more authorities";
  }
  if (Object.hasOwn(FIXES, code)) return FIXES[code];
  if (status === 403) return ACCESS;
  if (status === 401) return FIXES.CredentialsProviderError;
  if (status === 404) return "this answer is not of an S3 service; correct --s3-endpoint";
  if (status === 501) return FIXES.NotImplemented;
  return undefined;
}

/** Messages of parsers go on with the whole answer. */
function firstLine(message: string): string {
  return message.split("\n", 1)[0].slice(0, 300);
}
