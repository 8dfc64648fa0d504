/** Who began a run, and for which build of a server: what of the environment a record may keep. */
import { expect, test } from 'vitest'
import { buildAddress, currentActor } from '../../src/bulk/record/actor.ts'
import { realHost } from '../host.ts'

const github = {
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'team/repo',
  GITHUB_RUN_ID: '7',
}
const gitlab = 'https://gitlab.example/jobs/1'
const jenkins = 'http://jenkins.example/job/2/'

test.each<[what: string, env: Readonly<Record<string, string>>, address: string | undefined]>([
  ['GitLab says it', { CI_JOB_URL: gitlab }, gitlab],
  ['Jenkins says it', { BUILD_URL: jenkins }, jenkins],
  ['GitHub says it in parts', github, 'https://github.example/team/repo/actions/runs/7'],
  ['GitHub does not say all parts', { ...github, GITHUB_RUN_ID: '' }, undefined],
  ['several say it', { ...github, BUILD_URL: jenkins, CI_JOB_URL: gitlab }, gitlab],
  ['the first is empty', { CI_JOB_URL: '', BUILD_URL: jenkins }, jenkins],
  ['it has a password', { BUILD_URL: 'https://u:secret@jenkins.example/' }, undefined],
  ['it has the name of a user', { BUILD_URL: 'https://token@jenkins.example/' }, undefined],
  ['it is no page', { BUILD_URL: 'file:///etc/passwd' }, undefined],
  ['it is no address', { BUILD_URL: 'number 7' }, undefined],
  [
    'it is as long as it may be',
    { BUILD_URL: jenkins.padEnd(2000, 'x') },
    jenkins.padEnd(2000, 'x'),
  ],
  ['it is longer', { BUILD_URL: jenkins.padEnd(2001, 'x') }, undefined],
  ['nobody says it', {}, undefined],
])('the address of a build: %s', (_, env, address) => {
  expect(buildAddress({ env })).toBe(address)
})

test('a user without a name is a number', () => {
  const computer = { ...realHost.computer, hostname: 'desk', userName: undefined }
  expect(currentActor({ userId: 1234, computer })).toEqual({ user: 'uid 1234', host: 'desk' })
})
