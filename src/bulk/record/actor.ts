/** The person who begins something, on which computer, and in which build of a server. */
import * as v from 'valibot'
import type { Host } from '../../host.ts'

export const Actor = v.object({ user: v.string(), host: v.string() })
export type Actor = v.InferOutput<typeof Actor>

/** As the system names them. A container's user may have no name. */
export function currentActor({ userId, computer }: Pick<Host, 'userId' | 'computer'>): Actor {
  return { user: computer.userName ?? `uid ${userId ?? 'unknown'}`, host: computer.hostname }
}

/** `ana@desk-7`. */
export const actorWords = ({ user, host }: Actor): string => `${user}@${host}`

/** The address of the build that this process is part of, where its server says it: GitLab, Jenkins, GitHub. */
export function buildAddress({ env }: Pick<Host, 'env'>): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = env
  const github =
    server && repository && run ? `${server}/${repository}/actions/runs/${run}` : undefined
  const address = env['CI_JOB_URL'] || env['BUILD_URL'] || github
  if (address === undefined || address.length > 2000 || !URL.canParse(address)) return undefined
  const url = new URL(address)
  // An address may carry a password, which is nobody's business.
  return /^https?:$/.test(url.protocol) && url.username + url.password === '' ? url.href : undefined
}
