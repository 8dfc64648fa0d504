/**
 * The person who begins something, on which computer, and in which build of a server. `sessions/from-job.ts` records it in a run and
 * `plans/write-plan.ts` in a plan; whatever names who did something prints it.
 */
import * as v from 'valibot'
import type { Host } from '../../host.ts'

export const Actor = v.object({ user: v.string(), host: v.string() })
export type Actor = v.InferOutput<typeof Actor>

/** As the system names them. A container's user may have no name. */
export function currentActor({ userId, computer }: Pick<Host, 'userId' | 'computer'>): Actor {
  const user = computer.userName ?? `uid ${userId ?? 'unknown'}`
  return { user, host: computer.hostname }
}

/** `ana@desk-7`. */
export const actorWords = ({ user, host }: Actor): string => `${user}@${host}`

/** The address of the build that this process is part of, where its server says it: GitLab, Jenkins, GitHub. */
export function buildAddress({ env }: Pick<Host, 'env'>): string | undefined {
  const address = env['CI_JOB_URL'] || env['BUILD_URL'] || githubAddress(env)
  if (address === undefined || address.length > 2000 || !URL.canParse(address)) return undefined
  const url = new URL(address)
  // An address may carry a password, which is nobody's business.
  const hasSecret = url.username !== '' || url.password !== ''
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && !hasSecret ? url.href : undefined
}

/** GitHub says it in three parts. */
function githubAddress(env: Host['env']): string | undefined {
  const server = env['GITHUB_SERVER_URL']
  const repository = env['GITHUB_REPOSITORY']
  const run = env['GITHUB_RUN_ID']
  if (!server || !repository || !run) return undefined
  return `${server}/${repository}/actions/runs/${run}`
}
