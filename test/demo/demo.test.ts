/** The tour of `npm run demo`, as a reader of a pipe sees it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'
import { ownFolder } from '../ending.ts'

const folder = ownFolder('demo-test')

async function demo(env: NodeJS.ProcessEnv = {}): Promise<{ code: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(root, 'tools/demo/demo.mjs')], {
    cwd: folder,
    // Settings of the person who runs it must play no part.
    env: { ...process.env, TMPDIR: folder, HOME: folder, SVC_OUTPUT: 'json', SVC_PROFILE: 'prod', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number]>,
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, stdout, stderr }
}

test('the tour shows each step as typed with its result, and leaves nothing behind', async () => {
  const { code, stdout, stderr } = await demo()
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const steps = stdout.split('\n$ ').slice(1)
  const result = (command: string): string => {
    const step = steps.find((candidate) => candidate.startsWith(command))
    if (step === undefined) throw new Error(`no step ${command} in:\n${stdout}`)
    return step
  }
  expect(result('svc lists list --limit 5\n')).toMatch(
    /\nID +NAME +CONTACTS +UPDATED +DESCRIPTION\n(?:[0-9a-f]{24} .*\n){5}/,
  )
  expect(result('svc lists members VIP --limit 5\n')).toMatch(
    /\nCONTACT +NAME +PHONE +EMAIL +JOINED\n(?:[0-9a-f]{24} .*\n){5}/,
  )
  expect(result('svc lists add-contacts "Spring campaign" --file ids.txt --dry-run\n')).toMatch(
    /250 contacts in 3 requests .* nothing is sent[^]*would be added +250\n/,
  )
  const add = result('svc lists add-contacts "Spring campaign" --file ids.txt --receipts added.csv -v\n')
  expect(add.match(/^POST \/v1\/lists\/[0-9a-f]{24}\/contacts 200 /gm)).toHaveLength(3)
  expect(add).toMatch(/\nOUTCOME +COUNT\nok +250\n\(ids in each request, from added\.csv: 100, 100, 50\)\n/)
  expect(result('svc tickets history ')).toMatch(/\n\d\d:\d\d {2}customer · album of 2\n {7}\[image photo-/)
  expect(result('svc tickets assign ')).toMatch(/\nBEFORE +Alice Adams\nAFTER +Robin Berg\nUNDO +svc tickets assign /)
  expect(result('svc contacts delete --file old.txt --receipts deleted.csv --yes\n')).toMatch(
    /\ndeleted +120\nblocked +3\nnot-found +1\n\(exit code 3\)\n[^]*\nf{24},124,not-found,2,1,,\n/,
  )
  expect(result('svc runs list\n')).toMatch(
    /contacts\.delete .* finished, 4 not done +124 +120 +0\n.*lists\.add-contacts .* finished +250 +250 +0\n/,
  )
  expect(stdout).toMatch(/\nerror: Tickets older than 30 days .*403.*\n {2}.*\n\(exit code 5\)\n/)
  expect(result('svc contacts delete --file bad.txt\n')).toMatch(
    /error: 2 ids are invalid\n {2}"bad\.txt" line 2: .*\n {2}"bad\.txt" line 3: /,
  )
  expect(stdout).not.toContain('\u001b')
  expect(readdirSync(folder)).toEqual([])
})
