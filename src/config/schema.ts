/** What a configuration file may have, and the words for what is wrong with one. Loaded only when there is a file. */
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
  profileNameRule,
  readBaseUrl,
  secretKeys,
} from './rules.ts'
import { parseCountry } from './settings.ts'

const object = v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
const text = v.string('must be text; put it in quotes')
const filled = v.pipe(text, v.nonEmpty('must not be empty'))
const flag = v.boolean('must be true or false')

/** An object with these members alone. Own keys are looked at, `__proto__` among them, which valibot passes over. */
function members<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries)
  return v.pipe(
    object,
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return
      const unknown = Object.keys(dataset.value).find((key) => !known.includes(key))
      if (unknown === undefined) return
      const [near] = nearest(unknown, known)
      const advice =
        near === undefined ? `known: ${known.join(', ')}` : `did you mean "${near}"?`
      addIssue({ message: `has the unknown key ${quote(unknown)}; ${advice}` })
    }),
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
    baseUrl: v.pipe(
      text,
      v.check(
        (url) => readBaseUrl(url).problem === undefined,
        ({ input }) => `is not a usable base URL: ${readBaseUrl(input).problem ?? ''}`,
      ),
    ),
    apiKey: v.pipe(text, v.check(isApiKey, apiKeyRule)),
    apiSecret: v.optional(filled),
    secretFile: v.optional(filled),
    secretCommand: v.optional(
      v.pipe(
        v.array(filled, 'must be a list of words, such as ["pass", "show", "svc/prod"]'),
        v.nonEmpty('must begin with a command'),
        v.check(
          (words) => words.every((word) => !word.includes('\0')),
          'must not contain a NUL',
        ),
      ),
    ),
    country: v.optional(parsed(parseCountry)),
    rate: v.optional(parsed(parseRate)),
    protected: v.optional(flag),
    readOnly: v.optional(flag),
    allow: v.optional(
      v.array(
        v.picklist(writeOperations, `must be one of ${writeOperations.join(', ')}`),
        'must be a list of operations',
      ),
    ),
    maxDelete: v.optional(
      v.pipe(
        v.number('must be a number'),
        v.safeInteger('must be a whole number'),
        v.minValue(0, 'must be 0 or more'),
      ),
    ),
  }),
  v.check(
    (profile) => secretKeys.filter((key) => profile[key] !== undefined).length === 1,
    `must contain exactly one of ${joinOr(secretKeys)}`,
  ),
)

const UserFile = members({
  current: v.optional(
    v.pipe(text, v.check(isProfileName, `is not a profile name: ${profileNameRule}`)),
  ),
  profiles: v.optional(
    v.pipe(
      object,
      v.check(
        (profiles) => Object.keys(profiles).every(isProfileName),
        ({ input }) => {
          const name = Object.keys(input).find((key) => !isProfileName(key)) ?? ''
          return `has the name ${quote(name)}: ${profileNameRule}`
        },
      ),
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
