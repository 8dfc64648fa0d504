/**
 * undici's agent for proxies. undici's entry gives all its methods to every dispatcher; this agent
 * needs `connect` alone, and importing the entry would make the package 230 kB larger.
 */
import type { Dispatcher, EnvHttpProxyAgent } from 'undici'
import connect from 'undici/lib/api/api-connect.js'
import BaseDispatcher from 'undici/lib/dispatcher/dispatcher.js'
import ProxyAgent from 'undici/lib/dispatcher/env-http-proxy-agent.js'

export function openProxyAgent(options: EnvHttpProxyAgent.Options): Dispatcher {
  BaseDispatcher.prototype.connect = connect
  return new ProxyAgent(options)
}
