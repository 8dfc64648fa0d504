/** Shapes that documents have in common. */
import * as v from 'valibot'

export const text = v.string()
export const textOrNull = v.nullable(text)
export const count = v.pipe(v.number(), v.integer(), v.minValue(0))
export const countOrNull = v.nullable(count)
