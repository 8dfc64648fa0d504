/** `svc profiles`, and those of its verbs that only read or change the configuration file. */
import { summaries } from '../../cli/summaries.ts'
import { defineCommand, type Noun } from '../../cli/command.ts'
import { schemaOf, type Context } from '../../cli/verb.ts'
import { usageError } from '../../errors.ts'
import { describeSecret, secretSource } from '../../config/credentials.ts'
import { readUserFile, type UserFile } from '../../config/load.ts'
import { stateDir } from '../../config/paths.ts'
import { keyEnding } from '../../config/profile.ts'
import { record, rows } from '../../output/result.ts'
import { documentView } from '../../resources/document-view.ts'
import { add } from './add.ts'
import { change, existing, refuseName, refuseTaken, writablePlace } from './change.ts'
import { show } from './show.ts'
import type { Profile } from '../../resources/documents.ts'

const profileView = documentView(
  'Profile',
  ['name', 'current:state', 'baseUrl as URL', 'apiKey as KEY', 'secret', 'protected:state'],
  { id: ({ name }) => name, schema: schemaOf('Profiles') },
)

const list = defineCommand({
  path: 'profiles list',
  summary: 'list the profiles of the configuration file',
  examples: ['svc profiles list', 'svc profiles list --json', 'svc profiles list -o ids'],
  effect: 'reads',
  shows: profileView,
  run: async ({ host, options }) => {
    const file = await readUserFile(host, options)
    return rows(file === undefined ? [] : profileRows(file), {
      empty: 'no profiles; add one with: svc profiles add <name>',
    })
  },
})

function profileRows({ path, content }: UserFile): Profile[] {
  return [...content.profiles].map(([name, profile]) => ({
    name,
    current: name === content.current,
    baseUrl: profile.baseUrl,
    apiKey: keyEnding(profile.apiKey),
    secret: describeSecret(secretSource(profile, name, path)),
    protected: profile.protected === true,
  }))
}

const chosenView = documentView('ChosenProfile', ['current', 'file'], { id: ({ current }) => current })

const use = defineCommand({
  path: 'profiles use',
  summary: 'choose the profile that is used from now on',
  examples: ['svc profiles use staging', 'svc profiles use prod --json'],
  arguments: [{ name: 'profile', summary: 'a profile of the file; asked for on a terminal' }],
  effect: 'local',
  shows: chosenView,
  run: async (context, typed) => {
    const { host, options } = context
    const name = await typedProfile(context, typed)
    const file = await change(host, options, `change "current" in it yourself:\n  current: ${name}`, (found) => {
      const { raw } = existing(found, name)
      return { ...raw, current: name }
    })
    return record({ current: name, file })
  },
})

/** The profile as it was typed, or as it was chosen. Throws exit 2 when there is none. */
async function typedProfile(context: Context, typed: string | undefined): Promise<string> {
  const name = typed ?? (await context.choose('Which profile?', () => choices(context)))
  if (name === undefined) throw usageError('the argument <name> is missing')
  return name
}

async function choices({ host, options }: Pick<Context, 'host' | 'options'>) {
  const file = await readUserFile(host, options)
  const all = file === undefined ? [] : profileRows(file)
  const detailOf = ({ baseUrl, current }: Profile): string => `${baseUrl}${current ? ', current' : ''}`
  return all.map((profile) => ({ value: profile.name, name: profile.name, detail: detailOf(profile) }))
}

const renamedView = documentView('RenamedProfile', ['renamed', 'name', 'current:state', 'file'], {
  id: ({ name }) => name,
})

const rename = defineCommand({
  path: 'profiles rename',
  summary: 'give a profile another name',
  examples: ['svc profiles rename staging test', 'svc profiles rename prod live --json'],
  arguments: [
    { name: 'profile', summary: 'a profile of the file', isRequired: true },
    { name: 'new-name', summary: 'its new name', isRequired: true },
  ],
  effect: 'local',
  shows: renamedView,
  run: async ({ host, options }, old, name) => {
    refuseName(name)
    let current = false
    const file = await change(host, options, `rename "${old}" below "profiles" yourself`, (found) => {
      const { profiles, raw, current: chosen } = existing(found, old)
      refuseTaken(found, name, `choose another name, or remove it first:\n  svc profiles remove ${name}`)
      current = chosen === old
      const renamed = Object.entries(profiles).map(([each, profile]) => [each === old ? name : each, profile])
      return { ...raw, ...(current ? { current: name } : {}), profiles: Object.fromEntries(renamed) }
    })
    return record({ renamed: old, name, current, file })
  },
})

const removedView = documentView('RemovedProfile', ['removed', 'current', 'file'], { id: ({ removed }) => removed })

const remove = defineCommand({
  path: 'profiles remove',
  summary: 'remove a profile from the configuration file',
  notes: `A secret that the file holds goes with it; secret files and password managers
are left alone. A protected profile asks first.`,
  examples: ['svc profiles remove staging', 'svc profiles remove staging --json'],
  arguments: [{ name: 'profile', summary: 'a profile of the file; asked for on a terminal' }],
  effect: 'local',
  isDestructive: true,
  isIdempotent: true,
  shows: removedView,
  run: async (context, typed) => {
    const { host, options, warn } = context
    const name = await typedProfile(context, typed)
    const before = await readUserFile(host, options)
    if (before?.content.profiles.get(name)?.protected === true) {
      await context.confirm({ kind: 'yes-no', message: `Remove the protected profile "${name}"?` })
    }
    let current: string | undefined
    const file = await change(host, options, `remove "${name}" below "profiles" yourself`, (found) => {
      const { profiles, raw, current: chosen } = existing(found, name)
      const rest = without(profiles, name)
      const [only, ...others] = Object.keys(rest)
      // The only one that is left is meant from now on.
      current = chosen !== undefined && chosen !== name ? chosen : others.length === 0 ? only : undefined
      return { ...(current === undefined ? without(raw, 'current') : { ...raw, current }), profiles: rest }
    })
    if (current === undefined) warn('no profile is current now; choose one with: svc profiles use <name>')
    return record({ removed: name, current: current ?? null, file })
  },
})

function without(object: Readonly<Record<string, unknown>>, key: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== key))
}

const whereView = documentView(
  'ConfigurationPlace',
  ['path as FILE', 'exists:state', 'source as FROM', 'stateDir as STATE'],
  { id: ({ path }) => path, defaultFormat: 'ids' },
)

const path = defineCommand({
  path: 'profiles path',
  summary: 'print where the configuration file is, or would be',
  examples: [...['svc profiles path', 'svc profiles path -o table', '"$EDITOR" "$(svc profiles path)"']],
  effect: 'reads',
  shows: whereView,
  lenient: true,
  run: async ({ host, options }) => {
    const { path, exists, source } = writablePlace(host, options)
    return record({ path, exists, source, stateDir: stateFolder() })

    function stateFolder(): string | null {
      try {
        return stateDir(host, options).value
      } catch {
        // Shown for convenience; a command that needs the folder says what is missing.
        return null
      }
    }
  },
})

export const profiles: Noun = {
  path: 'profiles',
  summary: summaries.profiles,
  description: "Saved connections: base URL, key and secret, in the user's configuration file.",
  examples: [...['svc profiles list', 'svc profiles show']],
  commands: [list, show, add, use, rename, remove, path],
}
