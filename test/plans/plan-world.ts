/** A world in which a policy of the machine wants deletes and merges approved, and people who have keys. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, constants, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import type { SandboxOptions } from '../sandbox/watched.ts'
// @ts-expect-error -- a program, which has no types
import * as standIn from './ssh-keygen.mjs'
import { atEnd, trustedFolder } from '../ending.ts'
import type { Options, Result } from '../svc.ts'

/** Their keys are files of these names. */
export const people = ['ana', 'ben', 'cleo', 'eve'] as const
type Person = (typeof people)[number]
type Keygen = (words: readonly string[], input: () => Buffer) => string | undefined

/** A program in a folder that stands in for ssh-keygen. */
export function keygenIn(folder: string): string {
  const path = join(folder, 'ssh-keygen')
  const standIn = fileURLToPath(new URL('ssh-keygen.mjs', import.meta.url))
  // What is told to svc's own Node is not for this one.
  const text = `#!/bin/sh\nunset NODE_OPTIONS\nexec "${process.execPath}" "${standIn}" "$@"\n`
  writeFileSync(path, text, { mode: 0o755 })
  return path
}

/** The same, answered by this process, which must not be blocked meanwhile: a shell that asks through pipes costs a tenth of a Node of its own. */
export function keygenHere(folder: string): string {
  const path = join(folder, 'ssh-keygen')
  const asked = join(folder, 'asked')
  const text = `#!/bin/sh
ask=${folder}/$$
mkfifo $ask.code && exec 3<>$ask.code
printf '%s\\n' "$@" >$ask.words
cat >$ask.input
[ "$2" = sign ] && echo 'Signing data on standard input' >&2
echo $$ >${asked}
read code <&3
cat $ask.said
rm $ask.*
exit $code
`
  writeFileSync(path, text, { mode: 0o755 })
  execFileSync('mkfifo', [asked])
  const questions = new Socket({ fd: openSync(asked, constants.O_RDWR | constants.O_NONBLOCK), writable: false })
  atEnd(() => questions.destroy())
  let rest = ''
  questions.on('data', (chunk: Buffer) => {
    const numbers = `${rest}${chunk.toString()}`.split('\n')
    rest = numbers.pop() ?? ''
    for (const number of numbers) answer(join(folder, number))
  })
  return path
}

function answer(ask: string): void {
  let [code, said] = [0, '']
  try {
    const words = readFileSync(`${ask}.words`, 'utf8').split('\n').slice(0, -1)
    said = (standIn as { keygen: Keygen }).keygen(words, () => readFileSync(`${ask}.input`)) ?? ''
  } catch {
    code = 255
  }
  writeFileSync(`${ask}.said`, said)
  // Opened for both, so that nobody is waited for who was killed.
  const pipe = openSync(`${ask}.code`, constants.O_RDWR)
  writeSync(pipe, `${code}\n`)
  closeSync(pipe)
}

export async function createPlanWorld(options: SandboxOptions = {}) {
  const world = await createBulkWorld(options)
  const { folder, sandbox } = world
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  // tools/figures names the real one.
  const real = process.env['SVC_FIGURES_KEYGEN']
  const program = real ?? keygenHere(bin)
  // Only svc has to start it as a program.
  const keygen = (words: readonly string[], input: string | Buffer = ''): string =>
    real === undefined
      ? ((standIn as { keygen: Keygen }).keygen(words, () => Buffer.from(input)) ?? '')
      : execFileSync(real, words, { input, stdio: 'pipe' }).toString()
  for (const name of people) keygen(['-t', 'ed25519', '-N', '', '-f', join(folder, name), '-C', name])
  const publicKey = (name: Person): string =>
    readFileSync(join(folder, `${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ')
  const at = (name: string): string => join(folder, name)
  const etc = trustedFolder()
  const [signers, policyFile] = [join(etc, 'signers'), join(etc, 'policy.json')]
  /** Who may sign, as lines; eve is nobody. */
  const allow = (...lines: readonly string[]): void => writeFileSync(signers, lines.join('\n'), { mode: 0o600 })
  const usual = (['ana', 'ben', 'cleo'] as const).map((name) => `${name}@example.com ${publicKey(name)}`)
  allow(...usual)
  /** The members of the machine's policy. */
  const rules = (members: object): void => {
    const policies = { [sandbox.baseUrl]: members }
    writeFileSync(policyFile, JSON.stringify({ schema: 'svc.policy/1', policies }), { mode: 0o600 })
  }
  const policy = (approvals = 1): void =>
    rules({ approvals: { 'contacts.delete': approvals, 'contacts.merge': approvals }, signers })
  policy()
  const machinePolicy = { path: policyFile, owner: process.getuid?.() }
  const env = { PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}` }
  const svc = (line: string | readonly string[], more: Options = {}): Promise<Result> =>
    world.svc(line, { machinePolicy, fast: true, ...more, env: { ...env, ...more.env } })
  const sign = (name: Person, bytes: string | Buffer, namespace = 'svc-plan'): string =>
    keygen(['-Y', 'sign', '-f', at(name), '-n', namespace], bytes)
  let plans = 0
  /** Contacts that no plan had yet. */
  const fresh = (count: number): readonly string[] => world.free.slice((plans += count) - count, plans)
  /** The path of a plan by ana to delete contacts, or of another command's; throws when it cannot be written. */
  const plan = async (words = '', command?: string): Promise<string> => {
    const path = at(`${(plans += 1)}.plan`)
    const line = command ?? `contacts delete --file ${world.file('planned', fresh(3))}`
    const { code, stderr } = await svc(`${line} --plan ${path} --key ${at('ana')} ${words}`, { env: world.as('read') })
    if (code !== 0) throw new Error(stderr)
    return path
  }
  /** Signs a plan as a person, beside it. */
  const approve = (name: Person, path: string): void => {
    const mark = createHash('sha256').update(name).digest('hex').slice(0, 16)
    writeFileSync(`${path}.${mark}.sig`, sign(name, readFileSync(path)))
  }
  return {
    ...world,
    ...{ svc, at, sign, signers, allow, usual, publicKey, policy, rules, keygen, fresh },
    /** SHA-256 of a public key. */
    keyOf: (name: Person): string =>
      createHash('sha256')
        .update(Buffer.from(publicKey(name).split(' ')[1] ?? '', 'base64'))
        .digest('hex'),
    plan,
    approve,
    /** Under no policy of the machine. */
    none: { machinePolicy: { path: at('none'), owner: process.getuid?.() } },
    /** A plan that ana signed and ben approved. */
    async approved(...given: Parameters<typeof plan>): Promise<string> {
      const path = await plan(...given)
      approve('ben', path)
      return path
    },
    /** How it ended, and the bodies of what was sent meanwhile, reads aside. */
    async sent(line: string, more?: Options): Promise<Result & { readonly writes: readonly string[] }> {
      const before = sandbox.requests.length
      const result = await svc(line, more)
      const writes = sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')
      return { ...result, writes: writes.map(({ body }) => body) }
    },
  }
}
