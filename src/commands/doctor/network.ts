/** Whether a connection to the service comes about, and through what. */
import { messageOf, SvcError, systemCode, exit } from '../../errors.ts'
import { isCertificateProblem } from '../../http/connection-errors.ts'
import { proxyFor, refuseDisabledVerification, targetOf, type Proxy } from '../../http/proxy.ts'
import { connectDeadline, Route } from '../../http/route.ts'
import type { Tools } from '../../cli/verb.ts'
import { fail, ok, type Finding } from './finding.ts'

export function checkProxy(
  env: Tools['host']['env'],
  baseUrl: string,
): { finding: Finding; proxy?: Proxy | undefined } {
  const target = targetOf(new URL(baseUrl))
  try {
    refuseDisabledVerification(env)
    const proxy = proxyFor(target, env)
    if (proxy !== undefined)
      return { finding: ok('proxy', `${proxy.hostname}:${proxy.port} (${proxy.variable})`), proxy }
  } catch (error) {
    if (!(error instanceof SvcError)) throw error
    return { finding: fail('proxy', error.message, error.details.hint ?? null, error.exitCode) }
  }
  const set = ['https_proxy', 'HTTPS_PROXY', 'all_proxy', 'ALL_PROXY'].find((name) => (env[name] ?? '').trim() !== '')
  return { finding: ok('proxy', set === undefined ? 'none' : `${set} is set, but not used for ${target.hostname}`) }
}

export async function checkConnection(
  { host, signal, configuration }: Tools,
  baseUrl: string,
  proxy: Proxy | undefined,
): Promise<Finding> {
  const target = targetOf(new URL(baseUrl))
  const started = host.monotonic()
  try {
    const { timeout } = (await configuration()).settings
    const socket = await new Route(target, proxy, host).open(signal, Math.min(timeout.value, connectDeadline))
    socket.destroy()
    const how = target.secure ? 'a verified TLS connection' : 'a connection'
    return ok(
      'connection',
      `${how} to ${target.hostname}:${target.port} in ${Math.round(host.monotonic() - started)} ms`,
    )
  } catch (error) {
    if (signal.aborted) throw error
    return fail('connection', ...connectionProblem(error, `${target.hostname}:${target.port}`, proxy), exit.unavailable)
  }
}

/** What is wrong, and what to do. */
function connectionProblem(error: unknown, where: string, proxy: Proxy | undefined): [string, string] {
  const code = systemCode(error)
  const checkUrl = 'check the base URL:\n  svc profiles show'
  if (isCertificateProblem(code)) {
    return [
      `the certificate of ${where} was not accepted: ${messageOf(error)}`,
      'certificates are always checked; for one of your own name its CA file in NODE_EXTRA_CA_CERTS',
    ]
  }
  if (proxy !== undefined) {
    const remedy = `correct or unset ${proxy.variable}, or name the host of the service in NO_PROXY`
    if (code?.startsWith('SVC_PROXY') === true) return [messageOf(error), remedy]
    return [`the proxy ${proxy.hostname}:${proxy.port} (${proxy.variable}) cannot be used: ${messageOf(error)}`, remedy]
  }
  switch (code ?? '') {
    case 'ENOTFOUND':
      return [`unknown host name: ${where}`, checkUrl]
    case 'EAI_AGAIN':
      return [`the name service does not answer for ${where}`, "check this machine's network"]
    case 'ECONNREFUSED':
      return [
        `nothing listens on ${where}`,
        `${checkUrl}\nor start what should listen there; for the sandbox:\n  svc sandbox start`,
      ]
    default:
      return [
        `cannot reach ${where}: ${messageOf(error)}`,
        `check this machine's network, a firewall, and the base URL:\n  svc profiles show`,
      ]
  }
}
