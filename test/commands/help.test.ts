import { describe, expect, test } from 'vitest'
import { exitCodes } from '../../src/errors.ts'
import { bulkOperations } from '../../src/api/operations.ts'
import { topics } from '../../src/program/help.ts'
import { allPages, program as tree, type Page } from '../tree.ts'
import { markdown } from '../readme/manual.ts'
import { createWorld } from '../svc.ts'
import { flagsOf } from '../../src/options.ts'

const { svc } = createWorld()

const words = ({ path }: Page): string => path.replace(/^svc ?/, '')

describe('each command', () => {
  test.each(allPages.map((command) => [command.path, command] as const))(
    '%s',
    async (path, command) => {
      const { code, stdout, stderr } = await svc(`${words(command)} --help`)
      expect([code, stderr]).toEqual([0, ''])
      const [, sentence = ''] = stdout.split('\n\n')
      expect(sentence).toMatch(/^[A-Z][^]*\.$/)
      expect(stdout.replace(/\|\w+/, '').startsWith(`Usage: ${path} `)).toBe(true)
      expect(stdout).toContain('\nExamples:\n  svc ')
      expect(stdout).toMatch(/^[\x20-\x7e\n]*$/)
      for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
      const whole = await svc(`${words(command)} --help --all`)
      for (const option of command.options) {
        expect(option.summary, option.long).not.toBe('')
        expect(whole.stdout).toContain(`  ${flagsOf(option.key, option)}`)
        const shown = whole.stdout.replaceAll(/\s+/g, ' ')
        const { default: without, environment = [] } = option
        const facts = [...environment, ...(without === undefined ? [] : [`default: ${without}`])]
        for (const fact of facts) expect(shown).toContain(fact)
      }
      for (const { name, summary } of command.arguments) expect(summary, name).not.toBe('')
    },
  )

  test('advanced options are in --help --all and the reference', async () => {
    const rare = ['concurrency', 'allow-empty']
    for (const path of bulkOperations.map((name) => name.replace('.', ' '))) {
      const { stdout } = await svc(`${path} --help`)
      expect(stdout.trimEnd().split('\n').length).toBeLessThanOrEqual(43)
      expect(stdout.endsWith(`\nAll options: svc ${path} --help --all\n`)).toBe(true)
      const [, advanced = ''] = (await svc(`${path} --help --all`)).stdout.split('\nAdvanced:\n')
      for (const name of rare) {
        expect(stdout).not.toContain(`--${name}`)
        expect(advanced).toContain(`  --${name}`)
      }
    }
    expect(markdown(tree)).toContain('**Advanced:**')
    const whole = await svc('contacts delete --help --all')
    expect(await svc('help contacts delete --all')).toEqual(whole)
    expect((await svc('contacts delete --all')).code).toBe(2)
  })
})

describe('topics', () => {
  test.each(Object.entries(topics))('%s is printed as it is', async (name, page) => {
    const { code, stdout, stderr } = await svc(`help ${name}`)
    expect([code, stdout, stderr]).toEqual([0, page, ''])
    expect(stdout).toMatch(/^[\x20-\x7e\n]*$/)
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80)
  })

  test('are the six that svc names', async () => {
    const names = 'id-files bulk spreadsheets configuration scripting exit-codes'
    expect(Object.keys(topics)).toEqual(names.split(' '))
    const { stdout } = await svc('')
    expect(stdout).toContain(`Topics (svc help <topic>):\n  ${names.split(' ').join(', ')}\n`)
  })

  test('exit-codes has every code', async () => {
    const { stdout } = await svc('help exit-codes')
    for (const code of [...Object.values(exitCodes), 129])
      expect(stdout).toMatch(new RegExp(`^${code}\\b`, 'm'))
  })
})
