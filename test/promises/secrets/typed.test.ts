/**
 * A secret that is typed in the wrong place: as the value of every option and argument of every command. Whatever they print, it is not
 * among it (the world searches each output for it).
 */
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { program, verbs, type Page } from '../../support/tree.ts'
import { createSandboxWorld, guardSecret } from '../../support/svc.ts'

// The data does not matter here, and reading it would take most of the time.
const world = await createSandboxWorld()
world.sandbox.company.lists.clear()
/** The sandbox shows its own to whoever starts it. */
const another = 'typed-in-the-wrong-place'
guardSecret(another)
const secretOf = ({ path }: Page): string =>
  path.startsWith('svc sandbox') ? another : (world.env['SVC_API_SECRET'] ?? '')
const id = '6400057ed5aad2927b000026'

/** The first verb of its noun. */
const isFirst = ({ path }: Page): boolean => {
  const [, noun] = path.split(' ')
  return verbs.find((verb) => verb.path.split(' ')[1] === noun)?.path === path
}

/** A command line with what the verb requires, but for what is left out. */
function requiredWords({ path, arguments: args, options }: Page, leftOut = ''): string[] {
  const required = options.filter(({ isRequired, long }) => isRequired === true && long !== leftOut)
  return [
    ...path.split(' ').slice(1),
    ...args.filter(({ isRequired, name }) => isRequired === true && name !== leftOut).map(() => id),
    ...required.flatMap(({ long, value }) => (value === undefined ? [long] : [long, id])),
  ]
}

/** Every command line in which the secret stands for something. */
function linesOf(verb: Page): string[][] {
  const secret = secretOf(verb)
  const plain = requiredWords(verb)
  // Once for each noun, whose verbs share what reads them.
  const global = isFirst(verb) ? program.options : []
  const options = [...global, ...verb.options].filter(({ value }) => value !== undefined)
  return [
    // A file that is written must not lie where the tests run.
    ...options.map(({ long }) => [
      ...requiredWords(verb, long),
      long,
      long === '--out' ? join(world.folder, secret) : secret,
    ]),
    ...verb.arguments.map(({ name }) => [...requiredWords(verb, name), secret]),
    [...plain, ...verb.arguments.map(() => id), secret],
    [...plain, `--${secret}`],
    [...plain, `-${secret}`],
    [...plain, `--${secret}=1`],
    [...plain.slice(0, -1), secret],
    // Behind `--` the sandbox takes a program, which it would start.
    ...(plain[0] === 'sandbox' ? [] : [[...plain, '--', secret]]),
  ]
}

test.each(verbs.map((verb) => [verb.path, verb] as const))(
  '%s',
  async (_, verb) => {
    const one = async (line: readonly string[]): Promise<void> => {
      // A command that listens is stopped.
      const stop = (deliver: (signal: 'SIGTERM') => void): void =>
        void setTimeout(() => deliver('SIGTERM'), 100).unref()
      const signals = verb.path.startsWith('svc sandbox') ? stop : undefined
      const env = { SVC_API_SECRET: secretOf(verb) }
      // Its rows are the sandbox's own keys.
      const unread = verb.path === 'svc sandbox start' ? { stdout: new PassThrough().resume() } : {}
      const { stderr } = await world.svc(line, {
        fast: true,
        stdin: '',
        env,
        ...unread,
        ...(signals && { signals }),
      })
      expect(stderr).not.toContain('a defect in svc')
    }
    const problems: string[] = []
    for (const [n, line] of linesOf(verb).entries()) {
      // Half of them, which costs half of the time: verbs share most of what reads them.
      const words = n % 2 === 0 ? line : ['-v', '--json', ...line]
      await one(words).catch((error: unknown) =>
        problems.push(`${words.join(' ')}: ${String(error)}`),
      )
    }
    expect(problems.map((line) => line.replaceAll(secretOf(verb), 'SECRET'))).toEqual([])
  },
  120_000,
)
