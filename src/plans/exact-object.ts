/** Schemas of objects that take nothing else: valibot takes a list for an object, and passes over keys such as `__proto__` in silence. */
import * as v from 'valibot'
import { isObject } from '../values.ts'

/** An object with members alone whose names are as they should be: `problemOf` says what is wrong with one, in words that follow it. */
export function plainObject(rule: string, problemOf: (key: string) => string | undefined) {
  return v.pipe(
    v.custom<Record<string, unknown>>(isObject, rule),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const input = dataset.value
      for (const key of Object.keys(input)) {
        const message = problemOf(key)
        if (message !== undefined)
          addIssue({
            message,
            path: [{ type: 'object', origin: 'key', input, key, value: input[key] }],
          })
      }
    }),
  )
}

/** An object with these members alone; `rule` follows the name of any other. */
export function exactObject<E extends v.ObjectEntries>(entries: E, rule: string) {
  const problemOf = (key: string): string | undefined =>
    Object.hasOwn(entries, key) ? undefined : rule
  return v.pipe(plainObject('must be an object', problemOf), v.object(entries))
}
