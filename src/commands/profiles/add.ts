/** `svc profiles add`: takes credentials and rules from options, standard input and questions, and saves them. */
import type { Context } from '../../cli/context.ts'
import { defineVerb } from '../../cli/verb.ts'
import { readUserFileAt, type UserFile } from '../../config/file.ts'
import { absolute } from '../../config/paths.ts'
import { checkSecret, readSecretText } from '../../config/secret.ts'
import {
  isProfileName,
  parseApiKey,
  parseBaseUrl,
  parseCountry,
  profileNameRule,
} from '../../config/settings.ts'
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { defineOptions, type OptionValues } from '../../options.ts'
import { one, text } from '../../output/result.ts'
import { parseCount, parseRate } from '../../values.ts'
import { shellWord } from '../../words.ts'
import { editUserFile, profileRow, rawProfiles, rulesOf, writableFile } from './file.ts'

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
    parse: checkedRate,
  },
  replace: {
    summary: 'change the profile of this name; what you leave out stays as it is',
  },
})

type ProfileOptions = OptionValues<typeof profileOptions>

/** The rate as it was typed, which is how the file has it. */
function checkedRate(text: string, name: string) {
  parseRate(text, name)
  return text
}

/** A profile as the file has it. Keys that are undefined are not written. */
type WrittenProfile = Readonly<Record<string, unknown>> & {
  baseUrl: string
  apiKey: string
}

export const verb = defineVerb({
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
  effect: 'local',
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
  run: async (context, [name], options) => {
    const { host } = context
    if (!isProfileName(name))
      throw usageError('this is not a valid profile name', profileNameRule)
    const hintForYaml = linesByHand(name, options)
    const refuseSameName = (file: UserFile | undefined) => {
      if (file?.content.profiles.has(name) === true && options.replace !== true)
        throw usageError(`there is already a profile "${name}"`, 'to change it: --replace')
    }
    // Everything that prevents saving is found before a person types a secret.
    const found = writableFile(host, hintForYaml)
    const file = found.exists ? await readUserFileAt(host, found.path) : undefined
    refuseSameName(file)
    const replaced = rawProfiles(file)[name] as WrittenProfile | undefined
    const profile = await profileOf(context, options, replaced)
    const saved = await editUserFile(host, hintForYaml, (latest) => {
      refuseSameName(latest)
      return {
        ...latest?.raw,
        current: latest?.content.current ?? name,
        profiles: { ...rawProfiles(latest), [name]: profile },
      }
    })
    context.note(
      `nothing was sent; to check the profile:\n  svc doctor -p ${shellWord(name)}`,
    )
    return one({ ...profileRow(host, saved, name), file: saved.path })
  },
})

/** Makes the profile to save, and asks for what was not typed. It keeps everything else of the profile that it replaces. */
async function profileOf(
  context: Context,
  options: ProfileOptions,
  replaced: WrittenProfile | undefined,
): Promise<WrittenProfile> {
  const { url, key, maxDelete, country, rate } = options
  const secretOption = await typedSecret(context.host, options)
  const questions = await context.questions()
  const baseUrl =
    url ??
    replaced?.baseUrl ??
    requireAnswer(await questions.text('Base URL (https://…):', parseBaseUrl), '--url')
  const apiKey =
    key ??
    replaced?.apiKey ??
    requireAnswer(await questions.text('API key:', parseApiKey), '--key')
  const isReplacing = replaced !== undefined
  const secret = secretOption ?? (await askSecret(context, isReplacing))
  return {
    ...replaced,
    // An answer and the address of a replaced profile are as they were typed.
    baseUrl: parseBaseUrl(baseUrl, 'the base URL'),
    apiKey,
    // A profile gives its secret in only one way.
    ...(secret === undefined ? {} : { ...noSecret, ...secret }),
    ...(options.protected === true ? { protected: true } : {}),
    ...(options.readOnly === true ? { readOnly: true } : {}),
    ...(maxDelete === undefined ? {} : { maxDelete }),
    ...(country === undefined ? {} : { country }),
    ...(rate === undefined ? {} : { rate }),
  }
}

const noSecret = {
  apiSecret: undefined,
  secretFile: undefined,
  secretCommand: undefined,
}

/** The key of a profile for its secret, with its value. */
type SecretMember =
  { apiSecret: string } | { secretFile: string } | { secretCommand: readonly string[] }

/** The secret that the options give, or undefined. No error quotes what was typed, because it can be the secret itself. */
async function typedSecret(
  host: Host,
  { secretStdin, secretFile, secretCommand }: ProfileOptions,
): Promise<SecretMember | undefined> {
  if (secretStdin === true) {
    if (host.isTerminal.stdin)
      throw usageError(
        '--secret-stdin reads standard input, which is a terminal',
        'leave it out to be asked for the secret',
      )
    const text = await readSecretText(host.stdin)
    return { apiSecret: checkSecret(text, 'the secret from standard input') }
  }
  if (secretFile !== undefined) {
    const isInHome = /^~[/\\]/.test(secretFile)
    const path = isInHome ? secretFile : absolute(host, secretFile)
    return { secretFile: path }
  }
  if (secretCommand === undefined) return undefined
  const words = secretCommand.split(/\s+/).filter((word) => word !== '')
  if (words.length > 0) return { secretCommand: words }
  throw usageError(
    '--secret-command takes a command that prints the secret, such as "pass show svc/prod"',
  )
}

/** Asks for the secret. Returns undefined if a replaced profile keeps its secret. */
async function askSecret(
  context: Context,
  isReplacing: boolean,
): Promise<SecretMember | undefined> {
  const message = isReplacing ? 'API secret (Enter keeps the current one):' : 'API secret:'
  // Enter keeps the current secret, and so does a command that cannot ask.
  const isKept = (text = '') => isReplacing && text === ''
  const check = (text: string, name: string) => isKept(text) || checkSecret(text, name)
  const questions = await context.questions()
  const typed = await questions.text(message, check, true)
  if (isKept(typed)) return undefined
  const ways = '--secret-stdin, --secret-file or --secret-command'
  return { apiSecret: requireAnswer(typed, ways) }
}

/** Returns the answer. Throws a usage error that names the option if nobody could be asked. */
function requireAnswer(answer: string | undefined, option: string) {
  if (answer !== undefined) return answer
  throw usageError(
    `svc cannot ask without a terminal or with --no-input; missing: ${option}`,
  )
}

/** The lines to add by hand to a YAML file, whose comments svc would lose. They contain no secret. */
function linesByHand(name: string, options: ProfileOptions) {
  const { url = 'https://…', key = '…', secretFile, maxDelete, country, rate } = options
  const profile = {
    baseUrl: url,
    apiKey: key,
    secretFile,
    secretCommand: secretFile === undefined ? ['…'] : undefined,
    protected: options.protected,
    readOnly: options.readOnly,
    maxDelete,
    country,
    rate,
  }
  return `add to it:\nprofiles:\n  ${name}: ${JSON.stringify(profile)}`
}
