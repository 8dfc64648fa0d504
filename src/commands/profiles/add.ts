import { defineCommand } from '../../cli/command.ts'
import { extname } from 'node:path'
import { createApi } from '../../api/client.ts'
import { exit, messageOf, SvcError } from '../../errors.ts'
import { record } from '../../output/result.ts'
import { documentView } from '../../resources/document-view.ts'
import { readUserFile } from '../../config/load.ts'
import { keyEnding, readConfiguration } from '../../config/profile.ts'
import { type Context } from '../../cli/verb.ts'
import { change, refuseLink, refuseName, refuseTaken, writablePlace, writtenProfiles } from './change.ts'
import { readCredentials, type CredentialOptions, type Credentials } from './credentials.ts'
import type { AddedProfile } from '../../resources/documents.ts'

const addedView = documentView(
  'AddedProfile',
  ['name', 'baseUrl as URL', 'apiKey as KEY', 'secret', 'protected:state', 'current:state', 'file', 'check:state'],
  { id: ({ name }) => name },
)

const about = `The secret is not shown while you type it. The file is written with mode 0600.
The first profile becomes the current one. With --replace a profile keeps what
you leave out; on a terminal svc asks for its secret, and Enter keeps it.
A failed check ends with that request's exit code; the profile is saved.

A secret command (--secret-command "pass show svc/prod") runs without a shell,
and not in the current folder; the one line that it prints is the secret.`

export const add = defineCommand({
  path: 'profiles add',
  summary: 'add a profile to the configuration file',
  description:
    'Add a profile (a saved connection: base URL, key and secret) to the configuration file, and try it with one signed request. ' +
    'svc asks for what you leave out.',
  notes: about,
  examples: [
    'svc profiles add sandbox --url "$SVC_BASE_URL" --key "$SVC_API_KEY" \\\n    --secret-env SVC_API_SECRET',
    'svc profiles add ci --url "$SVC_BASE_URL" --key "$SVC_API_KEY" \\\n    --secret-stdin < secret.txt',
    'svc profiles add live --url https://api.example.com --key pk_1234 \\\n    --secret-file ~/secret --protected --no-check',
  ],
  arguments: [{ name: 'name', summary: 'what to call it, for example prod', isRequired: true }],
  options: {
    url: { value: 'url', summary: 'where the service is, for example https://api.example.com' },
    key: { value: 'key', summary: 'the API key' },
    secretStdin: { summary: 'read the API secret from standard input, and keep it in the file' },
    secretEnv: { value: 'NAME', summary: 'the API secret is in this environment variable' },
    secretFile: { value: 'file', summary: 'the API secret is in this file' },
    secretCommand: { value: 'words', summary: 'a command that prints the API secret, as one quoted argument' },
    protected: { summary: 'ask before every write with this profile' },
    replace: { summary: 'change the profile of this name; what you leave out stays as it is' },
    check: { summary: 'do not try the credentials with a request', isNegated: true },
  },
  effect: 'local',
  shows: addedView,
  run: async (context, name, options) => {
    refuseName(name)
    const before = await refuseEarly(context, name, options)
    const credentials = await readCredentials(context, options, before)
    const saved = await save(context, name, credentials, options)
    const exitCode = options.check ? await tryOut(context, name, saved.current) : undefined
    const check = exitCode === undefined ? 'not made' : exitCode === exit.done ? 'passed' : 'failed'
    return record({ ...saved, check }, exitCode === undefined ? {} : { exitCode })
  },
})

type AddOptions = CredentialOptions & { readonly protected?: true; readonly replace?: true }

/** Every reason not to save, before anybody types a secret. Returns the profile that is replaced. */
async function refuseEarly({ host, options }: Context, name: string, given: AddOptions) {
  const place = writablePlace(host, options)
  if (extname(place.path) !== '.json') await change(host, options, byHand(name, given), () => ({}))
  refuseLink(host, place.path)
  if (!place.exists) return undefined
  const file = await readUserFile(host, options)
  if (given.replace !== true) refuseTaken(file, name, 'to change it: --replace')
  return file?.content.profiles.get(name)
}

/** Lines to add to a YAML file, whose comments and order svc would not keep. Never holds a secret. */
function byHand(name: string, { url, key, secretEnv, secretFile, protected: guarded }: AddOptions): string {
  const secret =
    secretEnv !== undefined
      ? `secretEnv: ${JSON.stringify(secretEnv)}`
      : secretFile !== undefined
        ? `secretFile: ${JSON.stringify(secretFile)}`
        : 'secretCommand: [pass, show, svc/…]   # or apiSecret, secretEnv or secretFile'
  return [
    'add to it:',
    'profiles:',
    `  ${name}:`,
    `    baseUrl: ${JSON.stringify(url ?? 'https://…')}`,
    `    apiKey: ${JSON.stringify(key ?? '…')}`,
    `    ${secret}`,
    ...(guarded === true ? ['    protected: true'] : []),
  ].join('\n')
}

async function save(
  { host, options }: Context,
  name: string,
  { baseUrl, apiKey, secret }: Credentials,
  given: AddOptions,
): Promise<Omit<AddedProfile, 'check'>> {
  let current = false
  let isProtected = given.protected === true
  const file = await change(host, options, '', (found) => {
    if (given.replace !== true) refuseTaken(found, name, 'to change it: --replace')
    const before = found?.content.profiles.get(name)
    isProtected ||= before?.protected === true
    const { apiSecret: _, secretEnv: __, secretFile: ___, secretCommand: ____, ...kept } = before ?? {}
    const profile = { ...kept, baseUrl, apiKey, ...secret, ...(isProtected ? { protected: true } : {}) }
    const chosen = found?.content.current ?? name
    current = chosen === name
    return { current: chosen, ...found?.raw, profiles: { ...writtenProfiles(found), [name]: profile } }
  })
  const shown = { apiKey: keyEnding(apiKey), secret: secretInWords(secret) }
  return { name, baseUrl, ...shown, protected: isProtected, current, file }
}

function secretInWords(secret: Credentials['secret']): string {
  if (secret.secretEnv !== undefined) return `in the variable ${secret.secretEnv}`
  if (secret.secretFile !== undefined) return `in the file ${secret.secretFile}`
  return secret.secretCommand === undefined ? 'in the configuration file' : 'from a command'
}

/**
 * Whether the service takes these credentials: one signed request, the smallest read there is. Returns the exit code of that.
 * The profile is saved anyway: it may be right while the service cannot be reached from here, or not yet.
 */
async function tryOut(context: Context, name: string, current: boolean): Promise<number> {
  const { baseUrl: _, ...options } = context.options
  const profile = (await readConfiguration(context.host, { ...options, profile: name })).profile()
  const svc = current ? 'svc' : `svc -p ${name}`
  try {
    const client = await context.open(profile)
    try {
      await createApi(client).lists.page({ limit: 1 })
    } finally {
      client.close()
    }
  } catch (error) {
    // A signal ends the command; anything else is what the check is there to find.
    if (context.signal.aborted) throw error
    const known = error instanceof SvcError ? error : undefined
    const lines = [messageOf(error), ...(known?.details.hint?.split('\n') ?? []), `see what is wrong: ${svc} doctor`]
    context.warn(`the profile is saved, but a request with it failed: ${lines.join('\n  ')}`)
    return known?.exitCode ?? exit.internal
  }
  context.note(`the service accepts these credentials; try:\n  ${svc} lists list`)
  return exit.done
}
