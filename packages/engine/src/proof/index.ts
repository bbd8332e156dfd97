/** What a proof of a session's log needs: the session built up again, seals of what was sent, and what addresses give back. */
export { createReplica, type Replica, type ReplicaOptions } from './replica.ts';
export { createSealer, type Seal, type Sealer, sealOf } from './seal.ts';
export { redeem, type Redeemed, unredeemed } from './redeem.ts';
export { verifyView } from '../core/verify.ts';
export { isProved } from '../core/ledger.ts';
