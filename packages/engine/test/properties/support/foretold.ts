/** What has to hold of a forecast. */
import type { Receipt } from '../../../src/core/receipt.ts';
import type { Forecast } from '../../../src/hub/forecast.ts';
import { expectThat } from './checks.ts';

/** `receipt`: of a turn that only code had a hand in. */
export function checkForecast(forecast: Forecast, receipt: Receipt | undefined): void {
  const { changes, money, tokensBefore, tokensAfter } = forecast;
  const tokens = [tokensBefore, tokensAfter, money.behindTokens, money.summaryTokens];
  const isWhole = tokens.every((number) => Number.isInteger(number) && number >= 0);
  expectThat(isWhole && money.costNowTokens >= 0, 'a forecast has whole numbers', () => JSON.stringify(forecast));
  const isAddressed = changes.every(({ layer, addresses, what }) => {
    const mayBeBare = layer === 'attach' || layer === 'repair';
    return what !== '' && (mayBeBare || addresses.length > 0);
  });
  expectThat(isAddressed, 'a forecast says where what leaves is found', () => JSON.stringify(changes));
  if (receipt === undefined) return;
  const isForetold = receipt.tokens.calibrated === tokensAfter && receipt.cause === forecast.cause;
  expectThat(isForetold, 'a forecast foretells the receipt', () =>
    JSON.stringify({ forecast, receipt }).slice(0, 2_000),
  );
}
