/** A world in which a policy of the machine wants deletes and merges approved, and people who have keys. */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createBulkWorld } from '../bulk/bulk-world.ts'
import type { SandboxOptions } from '../sandbox/watched.ts'
// @ts-expect-error -- a program, which has no types
import * as standIn from './ssh-keygen.mjs'
import { trustedFolder } from '../ending.ts'
import { writeProgram } from '../programs.ts'
import type { Options, Result } from '../svc.ts'

/** Their keys are files of these names. */
export const people = ['ana', 'ben', 'cleo', 'eve'] as const
type Person = (typeof people)[number]
/** Throws what it says when it refuses. */
export const { keygen } = standIn as {
  keygen: (words: readonly string[], input: () => string | Buffer) => string | undefined
}

/** A program in a folder that stands in for ssh-keygen. */
export function keygenIn(folder: string): string {
  const path = join(folder, 'ssh-keygen')
  writeProgram(path, ({ words, cwd, input }) => {
    const here = process.cwd()
    process.chdir(cwd)
    try {
      const stderr = words[1] === 'sign' ? 'Signing data on standard input\n' : ''
      return { code: 0, stdout: keygen(words, () => input) ?? '', stderr }
    } finally {
      process.chdir(here)
    }
  })
  return path
}

export async function createPlanWorld(options: SandboxOptions = {}) {
  const world = await createBulkWorld(options)
  const { folder, sandbox } = world
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  // tools/figures names the real one.
  const real = process.env['SVC_FIGURES_KEYGEN']
  const program = real ?? keygenIn(bin)
  // Only svc has to start it as a program.
  const ownKeygen = (words: readonly string[], input: string | Buffer = ''): string =>
    real === undefined
      ? (keygen(words, () => Buffer.from(input)) ?? '')
      : execFileSync(real, words, { input, stdio: 'pipe' }).toString()
  for (const name of people)
    ownKeygen(['-t', 'ed25519', '-N', '', '-f', join(folder, name), '-C', name])
  const publicKey = (name: Person): string =>
    readFileSync(join(folder, `${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ')
  const at = (name: string): string => join(folder, name)
  const etc = trustedFolder()
  const [signers, policyFile] = [join(etc, 'signers'), join(etc, 'policy.json')]
  /** Who may sign, as lines; eve is nobody. */
  const allow = (...lines: readonly string[]): void =>
    writeFileSync(signers, lines.join('\n'), { mode: 0o600 })
  const usual = (['ana', 'ben', 'cleo'] as const).map(
    (name) => `${name}@example.com ${publicKey(name)}`,
  )
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
    ownKeygen(['-Y', 'sign', '-f', at(name), '-n', namespace], bytes)
  let plans = 0
  /** Contacts that no plan had yet. */
  const fresh = (count: number): readonly string[] =>
    world.free.slice((plans += count) - count, plans)
  /** The path of a plan by ana to delete contacts, or of another command's; throws when it cannot be written. */
  const plan = async (words = '', command?: string): Promise<string> => {
    const path = at(`${(plans += 1)}.plan`)
    const line = command ?? `contacts delete --file ${world.file('planned', fresh(3))}`
    const { code, stderr } = await svc(`${line} --plan ${path} --key ${at('ana')} ${words}`, {
      env: world.as('read'),
    })
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
    ...{ svc, at, sign, signers, allow, usual, publicKey, policy, rules, keygen: ownKeygen, fresh },
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
    async sent(
      line: string,
      more?: Options,
    ): Promise<Result & { readonly writes: readonly string[] }> {
      const before = sandbox.requests.length
      const result = await svc(line, more)
      const writes = sandbox.requests.slice(before).filter(({ method }) => method !== 'GET')
      return { ...result, writes: writes.map(({ body }) => body) }
    },
  }
}
