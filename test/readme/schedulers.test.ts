/** The schedulers of docs/scripting.md: the exit codes that they repeat. Their command lines are looked at in readme.test.ts. */
import { expect, test } from 'vitest'
import { blocksOf, pageAt, tableUnder } from './pages.ts'

const page = pageAt('docs/scripting.md')

/** A block of the page that is a file. */
function file(name: string): string {
  const block = blocksOf(page).find((each) => each.file === name)
  if (block === undefined) throw new Error(`the page has no ${name}`)
  return block.code
}

/** The value of a line of a unit or crontab. */
function value(text: string, name: string): string {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
}

test('exit codes that need a person are not repeated, and all others are', () => {
  const [, , person = []] = tableUnder(page, 'Jobs that run once').map(
    ([codes = '']) => codes.match(/\d+/g) ?? [],
  )
  // 126 and 127: the shell did not find svc.
  expect(value(file('campaign.service'), 'RestartPreventExitStatus').split(' ')).toEqual([
    ...person,
    '126',
    '127',
  ])
})
