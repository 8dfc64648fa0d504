/** `svc profiles add`: saves credentials and rules as a profile. */
import type { Context } from '../../cli/context.ts'
import { defineOptions, type Option, type OptionValues } from '../../cli/options.ts'
import { editUserFile, profileRow, rawProfiles, rulesOf } from '../../cli/profiles.ts'
import { defineVerb } from '../../cli/verb.ts'
import type { FileProfile } from '../../config/file.ts'
import { absolute } from '../../config/paths.ts'
import { checkSecret, readSecretText } from '../../config/secret.ts'
import {
  isProfileName,
  parseApiKey,
  parseBaseUrl,
  parseCountry,
  profileNameRule,
  type SecretKey,
} from '../../config/settings.ts'
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { isObject } from '../../json.ts'
import { one, text } from '../../output/result.ts'
import { parseCount, parseRate } from '../../values.ts'
import { shellWord } from '../../words.ts'

/** The options that are members of a profile under the same key. A member that is missing here is a type error. */
const memberOptions = defineOptions({
  protected: { summary: 'ask before every change' },
  readOnly: { summary: 'refuse every change' },
  maxDelete: {
    value: 'n',
    summary: 'refuse to delete more contacts than this at once',
    parse: parseCount,
  },
  country: {
    value: 'CC',
    summary: 'country of phone numbers without + or 00, such as DE',
    parse: parseCountry,
  },
  rate: {
    value: 'n/s',
    summary: 'the most requests per second, such as 5/s',
    // The file has it as text.
    parse: (typed: string, what: string) => `${parseRate(typed, what)}/s`,
  },
} satisfies Record<Exclude<keyof FileProfile, 'baseUrl' | 'apiKey' | SecretKey>, Option>)

const profileOptions = defineOptions({
  url: {
    value: 'url',
    summary: 'where the service is, for example https://api.example.com',
    parse: parseBaseUrl,
  },
  key: { value: 'key', summary: 'the API key', parse: parseApiKey },
  secretStdin: {
    summary: 'read the API secret from standard input, and keep it in the file',
    conflicts: ['secretFile', 'secretCommand'],
  },
  secretFile: {
    value: 'file',
    takes: 'file',
    summary: 'the API secret is in this file',
    conflicts: ['secretCommand'],
  },
  secretCommand: {
    value: 'words',
    summary: 'a command that prints the API secret, as one quoted argument',
  },
  ...memberOptions,
  replace: {
    summary: 'change the profile of this name; what you leave out stays as it is',
  },
})

type ProfileOptions = OptionValues<typeof profileOptions>

export const verb = defineVerb({
  summary: 'add a profile to the configuration file',
  description:
    'Add a profile (a saved connection: base URL, key, secret and rules) to the configuration file. ' +
    'svc asks for the URL, the key and the secret if you leave them out. It sends no request.',
  notes: `The secret is not shown while you type it. The file is written with mode 0600.
The first profile becomes the current one. With --replace on a terminal, svc
asks for the secret, and Enter keeps the old one.

A secret command (--secret-command "pass show svc/prod") runs without a shell,
and not in the current folder; the one line that it prints is the secret.`,
  examples: [
    'svc profiles add ci --url "$SVC_BASE_URL" --key "$SVC_API_KEY" \\\n    --secret-stdin < secret.txt',
    'svc profiles add live --url https://api.example.com --key pk_1234 \\\n    --secret-file ~/secret --protected --max-delete 1000',
  ],
  arguments: [
    { name: 'name', summary: 'what to call it, for example prod', isRequired: true },
  ],
  options: profileOptions,
  columns: {
    NAME: text('name'),
    CURRENT: text('current'),
    URL: text('baseUrl'),
    KEY: text('apiKey'),
    SECRET: text('secret'),
    RULES: text(rulesOf),
    FILE: text('file'),
  },
  ids: 'name',
  act: async (context, [name], options) => {
    const { host, note } = context
    if (!isProfileName(name))
      throw usageError('this is not a valid profile name', profileNameRule)
    const saved = await editUserFile(host, async (file) => {
      const replaced = file?.content.profiles.get(name)
      if (replaced !== undefined && options.replace !== true)
        throw usageError(`there is already a profile "${name}"`, 'to change it: --replace')
      const profiles = rawProfiles(file)
      const members = Object.entries(options).filter(([key]) => key in memberOptions)
      const profile = {
        ...(isObject(profiles[name]) && profiles[name]),
        ...(await askCredentials(context, options, replaced)),
        ...Object.fromEntries(members),
      }
      const current = file?.content.current ?? name
      return { ...file?.raw, current, profiles: { ...profiles, [name]: profile } }
    })
    note(`nothing was sent; to check the profile:\n  svc doctor -p ${shellWord(name)}`)
    return one({ ...profileRow(host, saved, name), file: saved.path })
  },
})

/** A profile gives its secret in only one way: the new one takes the place of the others. */
const noSecret: Record<SecretKey, undefined> = {
  apiSecret: undefined,
  secretFile: undefined,
  secretCommand: undefined,
}

/**
 * Returns the base URL, the key and the secret as members of a profile. Those of a profile that is `replaced` stay if no option gives
 * others. Throws a usage error if one is missing and nobody can be asked.
 */
async function askCredentials(
  context: Context,
  options: ProfileOptions,
  replaced: FileProfile | undefined,
) {
  const { url, key } = options
  const isReplacing = replaced !== undefined
  const baseUrl =
    url ??
    replaced?.baseUrl ??
    (await ask(context, 'Base URL (https://…):', parseBaseUrl, '--url'))
  const apiKey =
    key ?? replaced?.apiKey ?? (await ask(context, 'API key:', parseApiKey, '--key'))
  const secret =
    (await givenSecret(context.host, options)) ?? (await askSecret(context, isReplacing))
  return { baseUrl, apiKey, ...(secret !== undefined && { ...noSecret, ...secret }) }
}

/** Asks for a text until `check` accepts it. Throws a usage error that names the option if nobody can be asked. */
async function ask(
  context: Context,
  question: string,
  check: (text: string, name: string) => string,
  option: string,
) {
  const questions = await context.questions()
  const answer = await questions.text(question, check)
  if (answer === undefined) throw cannotAsk(option)
  return check(answer, option)
}

/** Returns the secret of an option; undefined without one. No error quotes what was typed, because it can be the secret itself. */
async function givenSecret(
  host: Host,
  { secretStdin, secretFile, secretCommand }: ProfileOptions,
) {
  // The check of the file refuses an empty one.
  if (secretFile !== undefined)
    return { secretFile: secretFile === '' ? '' : absolute(host, secretFile) }
  if (secretCommand !== undefined)
    return { secretCommand: secretCommand.split(/\s+/).filter(Boolean) }
  if (secretStdin !== true) return undefined
  if (host.isTerminal.stdin)
    throw usageError(
      '--secret-stdin reads standard input, which is a terminal',
      'leave it out to be asked for the secret',
    )
  const text = await readSecretText(host.stdin)
  return { apiSecret: checkSecret(text, 'the secret from standard input') }
}

/** Asks for the secret. Returns undefined if a replaced profile keeps its secret, as it does if nobody can be asked. */
async function askSecret(context: Context, isReplacing: boolean) {
  const question = isReplacing ? 'API secret (Enter keeps the current one):' : 'API secret:'
  const check = (text: string, what: string) =>
    (isReplacing && text === '') || checkSecret(text, what)
  const questions = await context.questions()
  const typed = await questions.text(question, check, true)
  if (isReplacing && (typed ?? '') === '') return undefined
  if (typed !== undefined) return { apiSecret: typed }
  throw cannotAsk('--secret-stdin, --secret-file or --secret-command')
}

function cannotAsk(option: string) {
  return usageError(
    `svc cannot ask without a terminal or with --no-input; missing: ${option}`,
  )
}
