import { Banner } from '../../components/Banner';
import { Button } from '../../components/Button';
import { useText } from '../../text/language';
import { dismissBattery, dismissStandstill, useInbox } from './attention';

/** After the machine slept: for how long the agents stood still, and which runs. */
export function StandstillBanner() {
  const text = useText();
  const standstill = useInbox((state) => state.standstill);
  if (standstill === null) return null;
  const time = text.common.format.duration(standstill.ms - (standstill.ms % 60_000));
  const one = standstill.titles.length === 1;
  return (
    <Banner
      tone="attention"
      icon="moon"
      title={one ? text.inbox.standstillOne(time) : text.inbox.standstillTitle(time)}
      actions={
        <Button small onClick={dismissStandstill}>
          {text.inbox.dismiss}
        </Button>
      }
    >
      {text.inbox.standstillRuns(text.common.list(standstill.titles))}
    </Banner>
  );
}

/** Runs are driven here while the machine runs from its battery. */
export function BatteryBanner() {
  const text = useText().inbox;
  const power = useInbox((state) => state.power);
  const dismissed = useInbox((state) => state.batteryDismissed);
  if (power === null || !power.onBattery || power.holdingFor === 0 || dismissed) return null;
  return (
    <Banner
      tone="attention"
      icon="warning"
      title={text.onBattery}
      actions={
        <Button small onClick={dismissBattery}>
          {text.dismiss}
        </Button>
      }
    >
      {text.onBatteryText}
    </Banner>
  );
}
