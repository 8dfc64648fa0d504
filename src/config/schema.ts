/**
 * Members that a configuration file may have, and the words for what is wrong with one. Loaded only when a file exists. `load.ts` checks a
 * file by it, and the verbs of `profiles` what they are about to write.
 */
import * as v from 'valibot'
import { isObject, memberOf } from '../values.ts'
import { closest, joinOr } from '../words.ts'
import {
  readBaseUrl,
  apiKeyRule,
  isApiKey,
  isProfileName,
  profileNameRule,
  secretKeys,
} from './rules.ts'
import type { Defaults } from './settings.ts'
import { membersOf, settings, type SettingKey } from './table.ts'

const text = v.string('must be text; put it in quotes')

/** A member as its setting's row has it. */
function entryOf(key: SettingKey) {
  const { problem } = settings[key]
  return v.optional(
    v.custom<string | number | boolean>(
      (value) => problem(value) === undefined,
      ({ input }) => problem(input) ?? '',
    ),
  )
}

function entriesOf<Key extends SettingKey>(keys: readonly Key[]) {
  const entries = keys.map((key) => [key, entryOf(key)] as const)
  return Object.fromEntries(entries) as Record<Key, ReturnType<typeof entryOf>>
}

function defaultsOf(keys: readonly SettingKey[]) {
  return v.object(entriesOf(keys))
}

const EveryDefaults = defaultsOf(membersOf('every'))
/** The user's own file alone: what a folder that was found says must not remove anything. */
const UserDefaults = defaultsOf([
  ...membersOf('every'),
  ...membersOf('own'),
  ...membersOf('profile'),
])

const filled = v.pipe(text, v.nonEmpty('must not be empty'))

const FileProfile = v.pipe(
  v.object({
    baseUrl: v.pipe(
      text,
      v.rawCheck(({ dataset, addIssue }) => {
        if (!dataset.typed) return
        const result = readBaseUrl(dataset.value)
        if (!result.ok) addIssue({ message: `is not a usable base URL: ${result.why}` })
      }),
    ),
    apiKey: v.pipe(text, v.check(isApiKey, apiKeyRule)),
    apiSecret: v.optional(filled),
    secretEnv: v.optional(
      v.pipe(
        text,
        v.regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be the name of an environment variable'),
      ),
    ),
    secretFile: v.optional(filled),
    secretCommand: v.optional(
      v.pipe(
        v.array(text, 'must be a list of words, such as ["pass", "show", "svc/prod"]'),
        v.check((words) => words[0] !== undefined && words[0] !== '', 'must begin with a command'),
        v.check((words) => words.every((each) => !each.includes('\0')), 'must not contain a NUL'),
      ),
    ),
    protected: v.optional(v.boolean('must be true or false')),
    ...entriesOf(membersOf('profile')),
    defaults: v.optional(EveryDefaults),
    /** Checked where it counts: before a change. */
    policy: v.optional(v.unknown()),
  }),
  v.check(
    (profile) => secretKeys.filter((key) => profile[key] !== undefined).length === 1,
    `must contain exactly one of ${joinOr(secretKeys)}`,
  ),
)

const CurrentName = v.pipe(
  text,
  v.check(isProfileName, `is not a profile name: ${profileNameRule}`),
)

const UserFile = v.object({
  current: v.optional(CurrentName),
  profiles: v.optional(v.record(v.string(), FileProfile)),
  defaults: v.optional(UserDefaults),
})

const ProjectFile = v.object({
  profile: v.optional(CurrentName),
  defaults: v.optional(EveryDefaults),
})

export type FileProfile = v.InferOutput<typeof FileProfile>

export interface UserContent {
  readonly current: string | undefined
  readonly profiles: ReadonlyMap<string, FileProfile>
  readonly defaults: Defaults
}

export interface ProjectContent {
  readonly profile: string | undefined
  readonly defaults: Defaults
}

/** The content of a file, or its problem in words that follow the file's name and never quote a value. */
export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string; readonly hint?: string }

type Problem = Extract<Checked<never>, { ok: false }>

const profileKeys = Object.keys(FileProfile.pipe[0].entries)
const defaultsKeys = Object.keys(EveryDefaults.entries)

export function checkUserFile(value: unknown): Checked<UserContent> {
  const problem =
    keysProblem(value, Object.keys(UserFile.entries)) ??
    profilesProblem(memberOf(value, 'profiles')) ??
    keysProblem(memberOf(value, 'defaults'), Object.keys(UserDefaults.entries), 'defaults')
  return (
    problem ??
    parse(UserFile, value, ({ current, profiles = {}, defaults = {} }) => {
      return { current, profiles: new Map(Object.entries(profiles)), defaults }
    })
  )
}

const projectRule =
  'a project file holds only "profile" and "defaults", and settings such as "output" stand in "defaults"'

export function checkProjectFile(value: unknown): Checked<ProjectContent> {
  const problem =
    keysProblem(value, Object.keys(ProjectFile.entries), undefined, projectRule) ??
    keysProblem(memberOf(value, 'defaults'), defaultsKeys, 'defaults')
  return (
    problem ?? parse(ProjectFile, value, ({ profile, defaults = {} }) => ({ profile, defaults }))
  )
}

/** Every schema above has words of its own but for what is missing; valibot's would quote what it received. */
function parse<T, C>(
  schema: v.GenericSchema<unknown, T>,
  value: unknown,
  contentOf: (output: T) => C,
): Checked<C> {
  const result = v.safeParse(schema, value, { abortEarly: true })
  if (result.success) return { ok: true, value: contentOf(result.output) }
  const [issue] = result.issues
  const path = v.getDotPath(issue)
  const message = issue.type === 'object' ? 'is missing' : issue.message
  return { ok: false, problem: path === null ? message : `${path} ${message}` }
}

/**
 * Problem with the shape of an object or the first of its keys that is not known. valibot takes a list for an
 * object and ignores keys such as `__proto__` in silence, so this comes before it. What is absent is skipped.
 */
function keysProblem(
  value: unknown,
  known: readonly string[],
  path?: string,
  rule?: string,
): Problem | undefined {
  if (value === undefined && path !== undefined) return undefined
  if (!isObject(value)) {
    const found = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`
    return {
      ok: false,
      problem: `${path === undefined ? '' : `${path} `}must be an object with ${joinOr(known)}, but it is ${found}`,
    }
  }
  const unknown = Object.keys(value).find((key) => !known.includes(key))
  if (unknown === undefined) return undefined
  const problem = `unknown key ${shortKey(unknown)}${path === undefined ? '' : ` in ${path}`}`
  const near = closest(unknown, known)
  if (rule !== undefined) return { ok: false, problem: `${problem}; ${rule}` }
  return {
    ok: false,
    problem,
    hint: near === undefined ? `known: ${known.join(', ')}` : `did you mean "${near}"?`,
  }
}

function profilesProblem(profiles: unknown): Problem | undefined {
  if (profiles === undefined) return undefined
  if (!isObject(profiles))
    return { ok: false, problem: 'profiles must be an object of profiles by their names' }
  for (const [name, profile] of Object.entries(profiles)) {
    if (!isProfileName(name)) {
      return {
        ok: false,
        problem: `a profile cannot be called ${shortKey(name)}`,
        hint: profileNameRule,
      }
    }
    const problem =
      keysProblem(profile, profileKeys, `profiles.${name}`) ??
      keysProblem(memberOf(profile, 'defaults'), defaultsKeys, `profiles.${name}.defaults`)
    if (problem !== undefined) return problem
  }
  return undefined
}

function shortKey(key: string): string {
  return JSON.stringify(key.length > 60 ? `${key.slice(0, 57)}…` : key)
}
