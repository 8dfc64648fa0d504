/** The schema of the configuration file, with the message for each mistake. Loaded only if there is a file. */
import * as v from 'valibot'
import { writeOperations } from '../api/operations.ts'
import { configError, messageOf } from '../errors.ts'
import { isObject } from '../json.ts'
import { parseRate } from '../values.ts'
import { joinOr, nearest, quote } from '../words.ts'
import {
  apiKeyRule,
  isApiKey,
  isProfileName,
  parseBaseUrl,
  profileNameRule,
  secretKeys,
} from './rules.ts'
import { parseCountry } from './settings.ts'

// Each schema has its own message, because valibot's messages quote the value, which can be a secret.
const object = v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
const text = v.string('must be text; put it in quotes')
const nonEmptyText = v.pipe(text, v.nonEmpty('must not be empty'))
const flag = v.boolean('must be true or false')
const count = v.custom<number>(
  (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  'must be a whole number from 0',
)

function list<Item extends v.GenericSchema>(item: Item) {
  return v.array(item, 'must be a list')
}

/** An object without other keys. valibot's own check overlooks `__proto__`. */
function strictObject<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries)
  const refuseUnknownKey = v.rawCheck<Readonly<Record<string, unknown>>>(
    ({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const unknown = Object.keys(dataset.value).find((key) => !known.includes(key))
      if (unknown === undefined) return
      const suggestion = nearest(unknown, known)[0] ?? joinOr(known)
      addIssue({
        message: `has the unknown key ${quote(unknown)}; did you mean ${suggestion}?`,
      })
    },
  )
  return v.pipe(object, refuseUnknownKey, v.object(entries))
}

/** A text that a parser of options and variables reads. The message begins with the key, so the parser gets no name. */
function parsed<T>(parse: (text: string, name: string) => T) {
  return v.pipe(
    text,
    v.rawTransform<string, T>(({ dataset, addIssue, NEVER }) => {
      try {
        return parse(dataset.value, '')
      } catch (error) {
        addIssue({ message: messageOf(error).trim() })
        return NEVER
      }
    }),
  )
}

const FileProfile = v.pipe(
  strictObject({
    baseUrl: parsed(parseBaseUrl),
    apiKey: v.pipe(text, v.check(isApiKey, apiKeyRule)),
    apiSecret: v.optional(nonEmptyText),
    secretFile: v.optional(nonEmptyText),
    secretCommand: v.optional(list(nonEmptyText)),
    country: v.optional(parsed(parseCountry)),
    rate: v.optional(parsed(parseRate)),
    protected: v.optional(flag),
    readOnly: v.optional(flag),
    allow: v.optional(
      list(v.picklist(writeOperations, `must be ${joinOr(writeOperations)}`)),
    ),
    maxDelete: v.optional(count),
  }),
  v.check(
    (profile) => secretKeys.filter((key) => profile[key] !== undefined).length === 1,
    `must contain exactly one of ${joinOr(secretKeys)}`,
  ),
)

const UserFile = strictObject({
  current: v.optional(text),
  profiles: v.optional(
    v.pipe(
      object,
      v.check((profiles) => Object.keys(profiles).every(isProfileName), profileNameRule),
      v.record(v.string(), FileProfile),
    ),
  ),
})

export type FileProfile = v.InferOutput<typeof FileProfile>

export interface UserContent {
  current: string | undefined
  profiles: ReadonlyMap<string, FileProfile>
}

/** Checks the content of the file at a path. Throws a config error that names the first wrong key. */
export function checkUserFile(path: string, value: unknown): UserContent {
  const result = v.safeParse(UserFile, value, { abortEarly: true })
  if (result.success) {
    const { current, profiles = {} } = result.output
    return { current, profiles: new Map(Object.entries(profiles)) }
  }
  const [issue] = result.issues
  const key = v.getDotPath(issue)
  const place = key === null ? path : `${path}: ${key}`
  // valibot reports a required key that is absent as an issue of the object.
  const isMissing = issue.type === 'object'
  throw configError(`${place} ${isMissing ? 'is missing' : issue.message}`)
}
