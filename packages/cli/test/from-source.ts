/** The binary without a build, for `npm run replay -- SESSION`. */
import { main } from '../src/main.ts';

await main(process.argv);
