/** Looks into values that were read from JSON or YAML. */

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
