/**
 * Datetimes as text: ISO 8601 calendar dates with an optional time and zone, in milliseconds since
 * the epoch. The calendar is the proleptic Gregorian one; days have 86,400 seconds.
 */

/** Longest text, in UTF-16 units; our choice, for more digits of a second than any clock has. */
const DATETIME_CHARS_MAX = 256;
const MS_PER_MINUTE = 60_000;
const MS_PER_DAY = 86_400_000;
const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

const DATE = /(\d{4}|[+-]\d{4,9})-(\d\d)-(\d\d)/.source;
const TIME = /(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?/.source;
const ZONE = /(Z|z|[+-]\d\d(?::?\d\d)?)/.source;
/** Groups: year, month, day, hour, minute, second, fraction, zone. */
const DATETIME = new RegExp(`^${DATE}(?:[Tt ]${TIME}${ZONE}?)?$`);

const BASIC_DATE = /(\d{4})(\d\d)(\d\d)/.source;
const BASIC_TIME = /(\d\d)(\d\d)(\d\d(?:[.,]\d+)?)?/.source;
const BASIC_ZONE = /(Z|z|[+-]\d\d(?:\d\d)?)/.source;
/** Groups: year, month, day, hour, minute, second with its fraction, zone. */
const BASIC = new RegExp(`^${BASIC_DATE}(?:[Tt ]${BASIC_TIME}${BASIC_ZONE}?)?$`);

/**
 * Reads `YYYY-MM-DD`, optionally followed by `T` (or `t`, or a space), `HH:MM`, `:SS`, a fraction
 * of a second (digits after the third are dropped) and a zone (`Z`, `±HH:MM`, `±HHMM`, `±HH`).
 * The basic format, `YYYYMMDD` and `YYYYMMDDTHHMMSSZ`, is read as well. Without a zone it is UTC.
 * Years beyond four digits take a sign. A leap second, `23:59:60` in UTC, is the second after it.
 * Returns milliseconds since the epoch, or why the text is no datetime.
 */
export function parseDatetime(text: string): bigint | string {
  if (text.length > DATETIME_CHARS_MAX) {
    return `a datetime has at most ${DATETIME_CHARS_MAX} characters`;
  }
  const parts = DATETIME.exec(extended(text));
  if (!parts) return shapeFault(text);
  const year = Number(parts[1]);
  const month = Number(parts[2]);
  const day = Number(parts[3]);
  if (parts[1].startsWith("-") && year === 0) return "year -0 does not exist, write 0000";
  if (month < 1 || month > 12) return `month ${parts[2]} is not in 01..12`;
  const days = daysInMonth(year, month);
  if (day < 1 || day > days)
    return `day ${parts[3]} is not in 01..${days} of ${parts[1]}-${parts[2]}`;

  const time = timeOfDay(parts);
  if (typeof time === "string") return time;
  const midnight = daysFromEpoch(year, month, day) * MS_PER_DAY;
  const ms = midnight + time;
  if (Number.isSafeInteger(ms) && Number.isSafeInteger(midnight)) return BigInt(ms);

  const exact = BigInt(daysFromEpoch(year, month, day)) * BigInt(MS_PER_DAY) + BigInt(time);
  if (exact < INT64_MIN || exact > INT64_MAX) return `year ${parts[1]} is out of range`;
  return exact;
}

/**
 * Writes `YYYY-MM-DDTHH:MM:SS.mmm000000Z`, the wire contract's nine fractional digits. Years
 * outside 0 to 9999 get a sign and at least six digits; `parseDatetime` reads every result back.
 */
export function formatDatetime(ms: bigint): string {
  const perDay = BigInt(MS_PER_DAY);
  let inDay = Number(ms % perDay);
  let day = Number(ms / perDay);
  if (inDay < 0) {
    inDay += MS_PER_DAY;
    day--;
  }
  const date = dateOfDay(day);
  const hour = Math.floor(inDay / 3_600_000);
  const minute = Math.floor(inDay / MS_PER_MINUTE) % 60;
  const second = Math.floor(inDay / 1000) % 60;
  return (
    `${formatYear(date.year)}-${digits(date.month, 2)}-${digits(date.day, 2)}` +
    `T${digits(hour, 2)}:${digits(minute, 2)}:${digits(second, 2)}` +
    `.${digits(inDay % 1000, 3)}000000Z`
  );
}

/** A text in the basic format as in the extended one; any other as it is. */
function extended(text: string): string {
  const parts = BASIC.exec(text);
  if (parts === null) return text;
  const [, year, month, day, hour, minute, second, zone = ""] = parts;
  const date = `${year}-${month}-${day}`;
  if (hour === undefined) return date;
  return `${date}T${hour}:${minute}${second === undefined ? "" : `:${second}`}${zone}`;
}

/** Milliseconds since UTC midnight of the written date; outside 0..86,400,000 by the zone. */
function timeOfDay(parts: RegExpExecArray): number | string {
  if (parts[4] === undefined) return 0;
  const hour = Number(parts[4]);
  const minute = Number(parts[5]);
  const second = Number(parts[6] ?? 0);
  const ms = Number((parts[7] ?? "").slice(0, 3).padEnd(3, "0"));
  if (hour > 23) return `hour ${parts[4]} is not in 00..23`;
  if (minute > 59) return `minute ${parts[5]} is not in 00..59`;
  const zone = zoneMinutes(parts[8]);
  if (zone === undefined) return `zone ${parts[8]} is not in -23:59..+23:59`;
  const minutes = hour * 60 + minute - zone;
  const leap = second === 60 && ((minutes % 1440) + 1440) % 1440 === 1439;
  if (second > 59 && !leap) return `second ${parts[6]} is not in 00..59`;
  return minutes * MS_PER_MINUTE + second * 1000 + ms;
}

function zoneMinutes(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === "Z" || zone === "z") return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(":", ""));
  if (hours > 23 || minutes > 59) return undefined;
  const total = hours * 60 + minutes;
  return zone.startsWith("-") ? -total : total;
}

function shapeFault(text: string): string {
  if (/^\d{8}[Tt ]/.test(text)) {
    return "beside a date without dashes the time has no colons, as in 20260131T150405Z";
  }
  if (/^\d{4}-\d\d-\d\d[Tt ]\d\d$/.test(text)) return "the time needs minutes, as in 15:04";
  if (/^\d{4}-\d{1,2}-\d{1,2}($|[Tt ])/.test(text) && !/^\d{4}-\d\d-\d\d/.test(text)) {
    return "month and day need two digits, as in 2026-01-31";
  }
  return "expected ISO 8601, as in 2026-01-31 or 2026-01-31T15:04:05.678Z";
}

/**
 * Days from 1970-01-01 to a date; exact for all years of the grammar. Counts years from March, so
 * that the leap day is a year's last (Hinnant, "chrono-Compatible Low-Level Date Algorithms").
 */
function daysFromEpoch(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1;
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  return era * 146_097 + yearOfEra * 365 + leapDays + dayOfYear - 719_468;
}

/** The date of a day counted from 1970-01-01: inverts `daysFromEpoch`, from the same source. */
function dateOfDay(day: number): { year: number; month: number; day: number } {
  const shifted = day + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const leapDays = Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100);
  const dayOfYear = dayOfEra - (365 * yearOfEra + leapDays);
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function formatYear(year: number): string {
  if (year >= 0 && year <= 9999) return digits(year, 4);
  return `${year < 0 ? "-" : "+"}${digits(Math.abs(year), 6)}`;
}

function digits(value: number, width: number): string {
  return String(value).padStart(width, "0");
}
