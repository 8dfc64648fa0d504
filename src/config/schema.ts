/** The members of a configuration file, and the words for mistakes in one. Loaded only when there is a file. */
import * as v from 'valibot'
import { writeOperations } from '../api/operations.ts'
import { messageOf } from '../errors.ts'
import { isObject, parseRate } from '../values.ts'
import { joinOr, nearest, quote } from '../words.ts'
import { configError } from './paths.ts'
import {
  apiKeyRule,
  isApiKey,
  isProfileName,
  parseBaseUrl,
  profileNameRule,
  secretKeys,
} from './rules.ts'
import { parseCountry } from './settings.ts'

const object = v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
const text = v.string('must be text; put it in quotes')
const filled = v.pipe(text, v.nonEmpty('must not be empty'))
const flag = v.boolean('must be true or false')
const list = 'must be a list'

/** An object with these members alone. Own keys are looked at, `__proto__` among them, which valibot passes over. */
function members<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries)
  const unknownIn = (value: object) =>
    Object.keys(value).find((key) => !known.includes(key))
  return v.pipe(
    object,
    v.check(
      (value) => unknownIn(value) === undefined,
      ({ input }) => {
        const unknown = unknownIn(input) ?? ''
        const [near = joinOr(known)] = nearest(unknown, known)
        return `has the unknown key ${quote(unknown)}; did you mean ${near}?`
      },
    ),
    v.object(entries),
  )
}

/** A text that is read by the rule of an option or a variable. */
function parsed<T>(parse: (text: string, what: string) => T) {
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
  members({
    baseUrl: parsed(parseBaseUrl),
    apiKey: v.pipe(text, v.check(isApiKey, apiKeyRule)),
    apiSecret: v.optional(filled),
    secretFile: v.optional(filled),
    secretCommand: v.optional(v.array(filled, list)),
    country: v.optional(parsed(parseCountry)),
    rate: v.optional(parsed(parseRate)),
    protected: v.optional(flag),
    readOnly: v.optional(flag),
    allow: v.optional(
      v.array(v.picklist(writeOperations, `must be ${joinOr(writeOperations)}`), list),
    ),
    maxDelete: v.optional(
      v.custom<number>(
        (value) => Number.isSafeInteger(value) && Number(value) >= 0,
        'must be a whole number from 0',
      ),
    ),
  }),
  v.check(
    (profile) => secretKeys.filter((key) => profile[key] !== undefined).length === 1,
    `must contain exactly one of ${joinOr(secretKeys)}`,
  ),
)

const UserFile = members({
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

/**
 * The content of a file. Throws exit 2. Every schema above has words of its own but for what is missing; valibot's would
 * quote what it received.
 */
export function checkUserFile(path: string, value: unknown): UserContent {
  const result = v.safeParse(UserFile, value, { abortEarly: true })
  if (result.success) {
    const { current, profiles = {} } = result.output
    return { current, profiles: new Map(Object.entries(profiles)) }
  }
  const [issue] = result.issues
  const member = v.getDotPath(issue)
  const message = issue.type === 'object' ? 'is missing' : issue.message
  throw configError(`${path}${member === null ? '' : `: ${member}`} ${message}`)
}
