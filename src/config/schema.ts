/** Members that a configuration file may have, and the words for what is wrong with one. Loaded only when a file exists. */
import * as v from 'valibot'
import { writeOperations } from '../api/operations.ts'
import { messageOf } from '../errors.ts'
import { readValue } from '../options.ts'
import { isObject } from '../values.ts'
import { joinOr, quote } from '../words.ts'
import {
  readBaseUrl,
  apiKeyRule,
  isApiKey,
  isProfileName,
  profileNameRule,
  secretKeys,
} from './rules.ts'
import type { Defaults } from './settings.ts'
import { profileSettings, settingNames, settings, type SettingKey } from './table.ts'

type ObjectMembers = Readonly<Record<string, unknown>>

const object = v.custom<ObjectMembers>(isObject, 'must be an object')

/** An object with these members alone. Own keys are looked at, `__proto__` among them, which valibot passes over. */
function members<const Entries extends v.ObjectEntries>(entries: Entries) {
  const known = Object.keys(entries)
  const unknownOf = (value: ObjectMembers) =>
    Object.keys(value).find((key) => !known.includes(key))
  return v.pipe(
    object,
    v.check(
      (value) => unknownOf(value) === undefined,
      ({ input }) =>
        `has the unknown key ${quote(unknownOf(input) ?? '')}; known: ${known.join(', ')}`,
    ),
    v.object(entries),
  )
}

const text = v.string('must be text; put it in quotes')
const filled = v.pipe(text, v.nonEmpty('must not be empty'))

/** Members as the rows of their settings have them. */
function settingsOf<Key extends SettingKey>(keys: readonly Key[]) {
  const entries = keys.map((key) => {
    const problem = (value: unknown) => settingProblem(key, value)
    const isRight = (value: unknown) => problem(value) === undefined
    const words = ({ input }: { input: unknown }) => problem(input) ?? ''
    return [key, v.optional(v.custom<string | number | boolean>(isRight, words))] as const
  })
  return Object.fromEntries(entries) as Record<Key, (typeof entries)[number][1]>
}

/**
 * The problem with a value of a file, as the end of a sentence: a value that is typed as an option is read by the same rule.
 */
function settingProblem(key: SettingKey, value: unknown): string | undefined {
  if (!['string', 'number', 'boolean'].includes(typeof value)) return 'must be one value'
  try {
    readValue(settings[key], String(value), '')
    return undefined
  } catch (error) {
    return messageOf(error).trim()
  }
}

const isVariable = /^[A-Za-z_][A-Za-z0-9_]*$/

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
    secretEnv: v.optional(
      v.pipe(text, v.regex(isVariable, 'must be the name of an environment variable')),
    ),
    secretFile: v.optional(filled),
    secretCommand: v.optional(
      v.pipe(
        v.array(text, 'must be a list of words, such as ["pass", "show", "svc/prod"]'),
        v.check(([first = '']) => first !== '', 'must begin with a command'),
        v.check(
          (words) => words.every((word) => !word.includes('\0')),
          'must not contain a NUL',
        ),
      ),
    ),
    protected: v.optional(v.boolean('must be true or false')),
    readOnly: v.optional(v.boolean('must be true or false')),
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
    ...settingsOf(profileSettings),
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
  defaults: v.optional(members(settingsOf(settingNames))),
})

export type FileProfile = v.InferOutput<typeof FileProfile>

export interface UserContent {
  current: string | undefined
  profiles: ReadonlyMap<string, FileProfile>
  defaults: Defaults
}

/** The content of a file, or its problem as the end of a message, with the space or colon before it. */
export type Checked =
  | { content: UserContent; problemSuffix?: undefined }
  | { content?: undefined; problemSuffix: string }

/** Every schema above has words of its own but for what is missing; valibot's would quote what it received. */
export function checkUserFile(value: unknown): Checked {
  const result = v.safeParse(UserFile, value, { abortEarly: true })
  if (!result.success) {
    const [issue] = result.issues
    const path = v.getDotPath(issue)
    const message = issue.type === 'object' ? 'is missing' : issue.message
    return { problemSuffix: path === null ? ` ${message}` : `: ${path} ${message}` }
  }
  const { current, profiles = {}, defaults = {} } = result.output
  return { content: { current, profiles: new Map(Object.entries(profiles)), defaults } }
}
