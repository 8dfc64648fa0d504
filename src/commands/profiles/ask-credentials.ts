/** The credentials of a new profile: from options and standard input, and where they are missing, from answers. */
import type { Context } from '../../cli/context.ts'
import type { FileProfile } from '../../config/file.ts'
import { absolute } from '../../config/paths.ts'
import { checkSecret, readSecretText } from '../../config/secret.ts'
import { parseApiKey, parseBaseUrl, type SecretKey } from '../../config/settings.ts'
import { usageError } from '../../errors.ts'
import type { Host } from '../../host.ts'

/** The options that give credentials. */
interface CredentialOptions {
  url?: string
  key?: string
  secretStdin?: true
  secretFile?: string
  secretCommand?: string
}

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
export async function askCredentials(
  context: Context,
  options: CredentialOptions,
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
  { secretStdin, secretFile, secretCommand }: CredentialOptions,
) {
  if (secretFile !== undefined) return { secretFile: absolute(host, secretFile) }
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
