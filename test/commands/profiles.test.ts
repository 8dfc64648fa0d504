/** What `svc profiles add` asks for on a terminal. What else it says and writes is in the transcript of profiles. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createWorld, guardSecret, type Options, type World } from '../svc.ts'

/** Somebody at a terminal who types each answer, and the return key, once its question is on the screen. */
function typist(answers: [question: string, answer: string][]) {
  const input = new PassThrough()
  const output = new PassThrough()
  let screen = ''
  let from = 0
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    const [question, answer] = answers[0] ?? []
    if (question === undefined || answer === undefined || !screen.slice(from).includes(question))
      return
    answers.shift()
    from = screen.length
    setTimeout(() => input.write(`${answer}\r`), 20)
  })
  return {
    terminal: () => ({ input, output, columns: 80, close: () => input.end() }),
    seen: () => screen,
  }
}

const profileOf = ({ folder }: World): unknown =>
  (
    JSON.parse(readFileSync(join(folder, '.config/svc/config.json'), 'utf8')) as {
      profiles: { ci: unknown }
    }
  ).profiles.ci

test('asks for what is missing, and with --replace for the secret alone; it is not shown while it is typed', async () => {
  const world = createWorld()
  guardSecret('s3cret-typed')
  const add = async (words: string, answers: [string, string][]) => {
    const { terminal, seen } = typist(answers)
    expect(await world.svc(`profiles add ci ${words} --no-check`, { terminal })).toMatchObject({
      code: 0,
      stderr: '',
    })
    expect(seen()).not.toContain('s3cret')
  }
  await add('', [
    ['Base URL', 'http://api.example.com'],
    ['only allowed to 127.0.0.0/8', '\u0015https://api.example.com'],
    ['API key', 'pk_live_a1b2 '],
    ['API secret', ' s3cret-typed '],
  ])
  const profile = { baseUrl: 'https://api.example.com', apiKey: 'pk_live_a1b2' }
  expect(profileOf(world)).toEqual({ ...profile, apiSecret: 's3cret-typed' })
  await add('--replace --protected', [['API secret (Enter keeps', ' s3cret-02 ']])
  expect(profileOf(world)).toEqual({ ...profile, apiSecret: 's3cret-02', protected: true })
})

test('a secret in place of a name is neither saved nor shown', async () => {
  const secret = 's3cret-as-a-name'
  const odd = 's3cret+as/a=name'
  const address = '--url https://api.example.com --key pk_live_a1b2 --no-check'
  const add = (name: string) => `profiles add ${name} ${address}`
  const usual = `${add('ci')} --secret-env OTHER`
  const lines: readonly (readonly [line: string, options?: Options])[] = [
    [`${add(secret)} --secret-env X`, { env: { SVC_API_SECRET: secret } }],
    [`${add(secret)} --secret-env X`, { env: { PROD_SECRET: `${secret}\n` } }],
    [`${add(secret)} --secret-env X`, { env: { X: secret } }],
    [`${add(secret)} --secret-stdin`, { stdin: secret }],
    [`profiles rename ci ${secret}`, { env: { PROD_SECRET: secret } }],
    [`${add(odd)} --secret-env X`],
    [`profiles rename ci ${odd}`],
  ]
  const world = createWorld()
  expect(await world.svc(usual)).toMatchObject({ code: 0 })
  const path = join(world.folder, '.config/svc/config.json')
  const before = readFileSync(path, 'utf8')
  for (const [line, options] of lines) {
    const { code, stdout, stderr } = await world.svc(line, options)
    expect({ line, code, stdout }).toEqual({ line, code: 2, stdout: '' })
    expect(stderr).toMatch(/^error: this (?:is a secret, and not|cannot be) the name of a profile/)
    expect(stderr).not.toContain('s3cret')
  }
  expect(readFileSync(path, 'utf8')).toBe(before)
})
