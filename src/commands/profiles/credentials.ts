/** Credentials for `svc profiles add`, from options, standard input, and questions on the terminal. */
import {
  checkSecret,
  findProgram,
  readStart,
  secretPath,
} from '../../config/credentials.ts'
import {
  parseBaseUrl,
  readBaseUrl,
  apiKeyRule,
  isApiKey,
  secretKeys,
} from '../../config/rules.ts'
import type { FileProfile } from '../../config/schema.ts'
import type { Context } from '../../cli/context.ts'
import { messageOf, SvcError, usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'
import { joinOr } from '../../words.ts'

export interface CredentialOptions {
  readonly url?: string
  readonly key?: string
  readonly secretStdin?: true
  readonly secretEnv?: string
  readonly secretFile?: string
  readonly secretCommand?: string
}

/** One of the four ways in which a file gives a secret. */
type SecretMember = Partial<Pick<FileProfile, (typeof secretKeys)[number]>>

const secretOptions = [
  '--secret-stdin',
  '--secret-env',
  '--secret-file',
  '--secret-command',
] as const

/**
 * `before`: the profile whose place this one takes; what is not given stays as it was there. Throws exit 2 for a wrong option, and
 * when something is missing and there is no terminal to ask on.
 */
export async function readCredentials(
  context: Context,
  options: CredentialOptions,
  before: FileProfile | undefined,
) {
  const { url, key } = options
  if (key !== undefined && !isApiKey(key)) throw usageError(`--key ${apiKeyRule}`)
  const baseUrl = url === undefined ? before?.baseUrl : parseBaseUrl(url, '--url')
  const apiKey = key ?? before?.apiKey
  const typed = await readSecretOptions(context.host, options)
  return {
    baseUrl:
      baseUrl ??
      parseBaseUrl(
        (await askFor(context, 'Base URL (https://…):', urlProblem)) ??
          refuse(context, '--url'),
        'the base URL',
      ),
    apiKey:
      apiKey ?? (await askFor(context, 'API key:', keyProblem)) ?? refuse(context, '--key'),
    secret: typed ?? (await askSecretMember(context, secretOf(before))),
  }
}

type CredentialProblem = (text: string) => string | undefined

/** A typed text without blanks around it: a pasted one may end in a space, which is invisible. Undefined where nobody can be asked. */
async function askFor(
  { host, options, signals }: Context,
  message: string,
  problemOf: CredentialProblem,
  isHidden = false,
): Promise<string | undefined> {
  const { askSecret, askText } = await import('../../output/questions/prompt.ts')
  const validate = (text: string) => problemOf(text.trim())
  for (let problem: string | undefined; ;) {
    const terminal = options.input === false ? undefined : host.terminal()
    if (terminal === undefined) return undefined
    if (problem !== undefined) terminal.output.write(`> ${problem}\n`)
    const asking = isHidden
      ? askSecret(message, terminal, signals.cancelled)
      : askText(message, validate, terminal, signals.cancelled)
    const typed = (await asking.finally(() => terminal.close())).trim()
    problem = problemOf(typed)
    if (problem === undefined) return typed
  }
}

/** Throws exit 2 for what is missing where nobody can be asked. */
function refuse({ options }: Context, missing: string): never {
  const why =
    options.input === false
      ? '--no-input: svc does not ask'
      : 'there is no terminal to ask on'
  throw usageError(`${why}; missing: ${missing}`)
}

/** The secret that is typed; Enter keeps the one that the profile has already, and nobody is asked off a terminal. */
async function askSecretMember(
  context: Context,
  kept: SecretMember | undefined,
): Promise<SecretMember> {
  const ask = (message: string, problemOf: CredentialProblem) =>
    askFor(context, message, problemOf, true)
  if (kept === undefined) {
    const apiSecret = await ask('API secret:', secretProblem)
    return { apiSecret: apiSecret ?? refuse(context, joinOr(secretOptions)) }
  }
  const validate = (text: string) => (text === '' ? undefined : secretProblem(text))
  const apiSecret = await ask('API secret (Enter keeps the current one):', validate)
  return apiSecret === undefined || apiSecret === '' ? kept : { apiSecret }
}

function secretOf(profile: FileProfile | undefined): SecretMember | undefined {
  const key = secretKeys.find((each) => profile?.[each] !== undefined)
  return key && { [key]: profile?.[key] }
}

async function readSecretOptions(
  host: Host,
  options: CredentialOptions,
): Promise<SecretMember | undefined> {
  const { secretStdin, secretEnv, secretFile, secretCommand } = options
  const values = [secretStdin, secretEnv, secretFile, secretCommand]
  const given = secretOptions.filter((_, at) => values[at] !== undefined)
  if (given.length > 1)
    throw usageError(
      `${given.join(' and ')} cannot be used together`,
      'a profile has one secret',
    )
  if (secretStdin === true) return { apiSecret: await readSecretFrom(host) }
  if (secretEnv !== undefined) return { secretEnv: variableName(secretEnv) }
  if (secretFile === '') throw usageError('--secret-file needs the name of a file')
  if (secretFile !== undefined)
    return { secretFile: secretPath(host, secretFile, '--secret-file') }
  return secretCommand === undefined
    ? undefined
    : { secretCommand: commandWords(host, secretCommand) }
}

// A secret that was typed by mistake in place of a name must not appear in an error.

function variableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text
  throw usageError(
    '--secret-env takes the name of an environment variable, such as SVC_PROD_SECRET',
  )
}

function commandWords(host: Host, text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  try {
    findProgram(words[0] ?? '', host)
    return words
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    throw usageError(
      '--secret-command does not name a program that svc can run',
      'it takes a command that prints the secret, such as "pass show svc/prod": a program on PATH, or its absolute path',
    )
  }
}

async function readSecretFrom({ stdin, isTerminal }: Host): Promise<string> {
  const what = 'the secret from standard input'
  if (!isTerminal.stdin) return checkSecret(await readStart(stdin), what)
  throw usageError(
    '--secret-stdin reads standard input, which is a terminal',
    'leave it out to be asked for the secret',
  )
}

function urlProblem(text: string): string | undefined {
  return readBaseUrl(text).problem
}

const keyProblem = (text: string): string | undefined =>
  isApiKey(text) ? undefined : `it ${apiKeyRule}`

function secretProblem(text: string): string | undefined {
  try {
    checkSecret(text, 'it')
    return undefined
  } catch (error) {
    return messageOf(error)
  }
}
