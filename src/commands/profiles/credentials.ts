/** Credentials for `svc profiles add`, from options, standard input, and questions on the terminal. */
import { listed } from '../../words.ts'
import { SvcError, usageError } from '../../errors.ts'
import type { Host, Terminal } from '../../host.ts'
import { parseBaseUrl, readBaseUrl } from '../../config/origin.ts'
import { apiKeyRule, isApiKey, secretKeys } from '../../config/rules.ts'
import type { FileProfile } from '../../config/schema.ts'
import { checkSecret, findProgram, readStart, secretPath } from '../../config/credentials.ts'
import type { Context } from '../../cli/verb.ts'

export interface CredentialOptions {
  readonly url?: string
  readonly key?: string
  readonly secretStdin?: true
  readonly secretEnv?: string
  readonly secretFile?: string
  readonly secretCommand?: string
}

/** One of the four ways in which a file gives a secret. */
type SecretKey = Partial<Pick<FileProfile, 'apiSecret' | 'secretEnv' | 'secretFile' | 'secretCommand'>>

export interface Credentials {
  readonly baseUrl: string
  readonly apiKey: string
  readonly secret: SecretKey
}

const secretOptions = ['--secret-stdin', '--secret-env', '--secret-file', '--secret-command'] as const

/** Credentials that were given so far: checked, but not complete. */
type Given = { readonly [K in keyof Credentials]: Credentials[K] | undefined }

/**
 * `before`: the profile whose place this one takes; what is not given stays as it was there. Throws exit 2 for a wrong option, and
 * when something is missing and there is no terminal to ask on.
 */
export async function readCredentials(context: Context, options: CredentialOptions, before: FileProfile | undefined) {
  const { url, key } = options
  if (key !== undefined && !isApiKey(key)) throw usageError(`--key ${apiKeyRule}`)
  const baseUrl = url === undefined ? before?.baseUrl : parseBaseUrl(url, '--url')
  const typed = await readSecretOptions(context.host, options)
  const given = { baseUrl, apiKey: key ?? before?.apiKey, secret: typed ?? secretOf(before) }
  const known = complete(given)
  if (known !== undefined && typed !== undefined) return known
  const terminal = context.options.input === false ? undefined : context.host.terminal()
  if (terminal === undefined) {
    if (known !== undefined) return known
    throw missing(given, context.options.input === false)
  }
  try {
    return await askForRest(given, typed, terminal, context.signal)
  } finally {
    terminal.close()
  }
}

function complete({ baseUrl, apiKey, secret }: Given): Credentials | undefined {
  return baseUrl === undefined || apiKey === undefined || secret === undefined ? undefined : { baseUrl, apiKey, secret }
}

function secretOf(profile: FileProfile | undefined): SecretKey | undefined {
  const key = secretKeys.find((each) => profile?.[each] !== undefined)
  return key && { [key]: profile?.[key] }
}

async function readSecretOptions(host: Host, options: CredentialOptions): Promise<SecretKey | undefined> {
  const { secretStdin, secretEnv, secretFile, secretCommand } = options
  const values = [secretStdin, secretEnv, secretFile, secretCommand]
  const given = secretOptions.filter((_, at) => values[at] !== undefined)
  if (given.length > 1) throw usageError(`${given.join(' and ')} exclude each other`, 'a profile has one secret')
  if (secretStdin === true) return { apiSecret: await readSecretFrom(host) }
  if (secretEnv !== undefined) return { secretEnv: variableName(secretEnv) }
  if (secretFile !== undefined) return { secretFile: fileName(host, secretFile) }
  return secretCommand === undefined ? undefined : { secretCommand: commandWords(host, secretCommand) }
}

function variableName(text: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return text
  // A secret that was typed here by mistake must not appear in an error.
  throw usageError('--secret-env takes the name of an environment variable, such as SVC_PROD_SECRET')
}

function fileName(host: Host, text: string): string {
  if (text === '') throw usageError('--secret-file needs the name of a file')
  return secretPath(host, text, '--secret-file')
}

function commandWords(host: Host, text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const [program] = words
  if (program === undefined) throw usageError('--secret-command needs a command, such as "pass show svc/prod"')
  try {
    findProgram(program, host)
  } catch (error) {
    // On this command line it is a mistake of usage, not of credentials. A secret that was typed by mistake must not appear.
    if (!(error instanceof SvcError)) throw error
    throw usageError(
      error.message.replace(program, 'that --secret-command names'),
      error.details.hint ?? '--secret-command takes a command that prints the secret, never the secret itself',
    )
  }
  return words
}

async function readSecretFrom(host: Pick<Host, 'stdin' | 'isTerminal'>): Promise<string> {
  if (host.isTerminal.stdin) {
    throw usageError(
      '--secret-stdin reads standard input, which is a terminal',
      'leave it out to be asked for the secret',
    )
  }
  const what = 'the secret from standard input'
  let secret: string
  try {
    secret = checkSecret(await readStart(host.stdin, what), what, 1)
  } catch (error) {
    throw error instanceof SvcError ? usageError(error.message, error.details.hint) : error
  }
  // A short secret is a wrong credential, not a wrong option.
  return checkSecret(secret, what)
}

function missing({ baseUrl, apiKey, secret }: Given, told: boolean): SvcError {
  const needed = [
    baseUrl === undefined ? '--url' : undefined,
    apiKey === undefined ? '--key' : undefined,
    secret === undefined ? listed(secretOptions) : undefined,
  ].filter((name) => name !== undefined)
  const why = told ? '--no-input: svc does not ask' : 'there is no terminal to ask on'
  return usageError(`${why}; missing: ${needed.join(', and ')}`)
}

/** `typed`: the secret that this command line gives; one that the profile has already is kept when nothing is typed. */
async function askForRest(given: Given, typed: SecretKey | undefined, terminal: Terminal, signal: AbortSignal) {
  const { askSecret, askText } = await import('../../output/questions/prompt.ts')
  const baseUrl =
    given.baseUrl ??
    parseBaseUrl(
      (await askText('Base URL (https://…):', { validate: urlProblem }, terminal, signal)).trim(),
      'the base URL',
    )
  const apiKey = given.apiKey ?? (await askText('API key:', { validate: keyProblem }, terminal, signal)).trim()
  if (typed !== undefined) return { baseUrl, apiKey, secret: typed }
  const { secret } = given
  const validate = (text: string) => (text.trim() === '' && secret !== undefined ? undefined : secretProblem(text))
  const question = secret === undefined ? 'API secret:' : 'API secret (Enter keeps the present one):'
  const apiSecret = (await askSecret(question, { validate }, terminal, signal)).trim()
  return { baseUrl, apiKey, secret: apiSecret === '' && secret !== undefined ? secret : { apiSecret } }
}

function urlProblem(text: string): string | undefined {
  const result = readBaseUrl(text.trim())
  return result.ok ? undefined : result.why
}

function keyProblem(text: string): string | undefined {
  return isApiKey(text.trim()) ? undefined : `it ${apiKeyRule}`
}

/** Pasted text may end in a space, which is invisible; one inside is a mistake. */
function secretProblem(text: string): string | undefined {
  try {
    checkSecret(text.trim(), 'it')
    return undefined
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return error.message
  }
}
