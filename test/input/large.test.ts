/** Large inputs, and lines that are made to be slow: each comes to an end. */
import { expect, it, test } from 'vitest'
import { idOf, read, readFrom, hostOf, refusal } from '../support/inputs.ts'

const [a, b] = [idOf(1), idOf(2)]
const linesOf = async (content: string) => (await read(content)).items.map(({ line }) => line)

it('an endless file is refused', async () => {
  const { exitCode, message } = await refusal(readFrom(hostOf(), { file: '/dev/zero' }))
  expect([exitCode, message]).toEqual([2, expect.stringContaining('is larger than 256 MiB')])
})

it('bad lines are told in order; of a 10 MB line the beginning', async () => {
  const long = 'f'.repeat(10 << 20)
  const { lines = [] } = (await refusal(read(`${a}\nx\n${b}\n${long}\nz\n`))).details
  expect(lines.map((line) => line.slice(0, 16))).toEqual([
    ...['line 2: "x": not', 'line 4: "fffffff', 'line 5: "z": not'],
  ])
  expect(lines[1]?.length).toBeLessThan(200)
  expect(lines[1]).toContain('10,485,760 hexadecimal digits')
  expect(await linesOf(`id,x\n${a},"${long}"\n`)).toEqual([2])
})

test.each([
  ['blanks', `a${' '.repeat(500_000)}b`],
  ['blanks in a quote', `"${' '.repeat(500_000)}`],
  ['zeros', `1${'0'.repeat(500_000)}x`],
  ['an address', `https://x${'/'.repeat(500_000)}`],
])('a line that is made to be slow: %s', async (_, line) => {
  for (const options of [{}, { column: 'id' }, { item: 'ticket' }] as const)
    for (const content of [`${line}\n${a}\n`, `id,x\n${line},\n`])
      expect((await refusal(read(content, options))).exitCode).toBe(2)
})

it('much of what is nothing, or bad', async () => {
  expect(await linesOf(`id,note\n${a},"${'x\n'.repeat(250_000)}"\n`)).toEqual([2])
  expect(await linesOf(`id,x\n${'\n'.repeat(5e6)}${a},\n`)).toEqual([5e6 + 2])
  expect(await linesOf(`${b}\n${' \r\n'.repeat(1e6)}${a}\n`)).toEqual([1, 1e6 + 2])
  const { message } = await refusal(read(`${a}\n${'nonsense\n'.repeat(2e5)}`))
  expect(message).toContain('200,000 bad lines')
})
