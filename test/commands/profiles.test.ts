/** What `svc profiles add` asks for on a terminal, and what the verbs of profiles write. What else they say is in the transcript of profiles. */
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

test('the current profile stays through what is added, renamed and removed, and the only one left is it', async () => {
  const { svc } = createWorld()
  const done = async (line: string): Promise<unknown> => {
    const { code, stdout } = await svc(`profiles ${line} --json`)
    expect([line, code]).toEqual([line, 0])
    return JSON.parse(stdout)
  }
  const add = (name: string) =>
    done(
      `add ${name} --url https://${name}.example.com --key pk_live_${name} --secret-env ENV_OF_${name} --no-check`,
    )
  const listed = async (): Promise<string> => {
    const all = (await done('list')) as { name: string; current: boolean }[]
    return all.map(({ name, current }) => (current ? `${name}*` : name)).join(' ')
  }
  expect(await add('a')).toMatchObject({ current: true })
  expect(await add('b')).toMatchObject({ current: false })
  expect(await done('rename b c')).toMatchObject({ renamed: 'b', name: 'c', current: false })
  expect(await done('rename a d')).toMatchObject({ renamed: 'a', name: 'd', current: true })
  expect(await listed()).toBe('d* c')
  await add('e')
  expect(await done('use c')).toMatchObject({ current: 'c' })
  expect(await done('remove d')).toMatchObject({ removed: 'd', current: 'c' })
  await add('f')
  expect(await listed()).toBe('c* e f')
  expect(await done('remove c')).toMatchObject({ removed: 'c', current: null })
  expect(await listed()).toBe('e f')
  expect(await done('remove e')).toMatchObject({ removed: 'e', current: 'f' })
  expect(await listed()).toBe('f*')
})

test('--replace keeps what is not given, and a name that is taken or unknown changes nothing', async () => {
  const world = createWorld()
  const given = { baseUrl: 'https://api.example.com', apiKey: 'pk_live_a1b2', secretEnv: 'PROD' }
  const address = '--url https://api.example.com --key pk_live_a1b2 --secret-env PROD'
  const lines: readonly (readonly [line: string, code: number, object])[] = [
    [`add ci ${address} --no-check`, 0, given],
    ['add ci --replace --protected --no-check', 0, { ...given, protected: true }],
    [
      'add ci --replace --key pk_live_c3d4 --secret-file /run/secret --no-check',
      0,
      {
        baseUrl: given.baseUrl,
        apiKey: 'pk_live_c3d4',
        secretFile: '/run/secret',
        protected: true,
      },
    ],
    [`add ci ${address} --no-check`, 2, {}],
    ['rename ci ci', 2, {}],
    ['rename nobody somebody', 4, {}],
    ['use nobody', 4, {}],
    ['remove nobody', 4, {}],
    // A protected one asks, and there is nobody to ask.
    ['remove ci', 9, {}],
  ]
  let before = {}
  for (const [line, code, profile] of lines) {
    expect([line, (await world.svc(`profiles ${line}`)).code]).toEqual([line, code])
    if (code === 0) before = profile
    expect(profileOf(world)).toEqual(before)
  }
  expect((await world.svc('profiles remove ci --yes')).code).toBe(0)
  expect(profileOf(world)).toBeUndefined()
})
