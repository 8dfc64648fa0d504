/** Looks into values that were read from JSON or YAML, and into JSON text. */

/** Whether a value is an object with members: no array, and no date, which YAML can have. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date)
  )
}

/** The member of an object, if it is the object's own; undefined for every other value. */
export function memberOf(value: unknown, key: string): unknown {
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

/** The index of the quote that ends a JSON string, or the length of the text if none does. `start` is behind the first quote. */
export function endOfString(json: string, start: number): number {
  for (
    let index = json.indexOf('"', start);
    index >= 0;
    index = json.indexOf('"', index + 1)
  ) {
    let backslashes = 0
    while (json.charAt(index - 1 - backslashes) === '\\') backslashes += 1
    // Two backslashes stand for one. An odd one escapes the quote.
    if (backslashes % 2 === 0) return index
  }
  return json.length
}
