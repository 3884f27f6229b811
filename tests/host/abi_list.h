/* SPDX-License-Identifier: MIT */
/*
 * Fills @v with every size, offset and value of the perf_event ABI and returns how many. Compiled
 * once against our header, by abi_ours.c, and once against the distribution's, by test_abi.c.
 * Before including it, define ABI_LIST, the function's name.
 */
#include <stddef.h>
#include <string.h>

#ifndef ABI_VALUES_MAX
#define ABI_VALUES_MAX 400
struct abi_value {
	const char *what;
	unsigned long long value;
};
size_t abi_list_ours(struct abi_value *v);
#endif

#define VALUE(e)                            \
	v[n++] = (struct abi_value)         \
	{                                   \
#e, (unsigned long long)(e) \
	}
#define FIELD(s, f) VALUE(offsetof(struct s, f)), VALUE(sizeof(((struct s *)0)->f))

/* A bit field's mask within the 64-bit word at @offset. */
#define FLAG(s, offset, f)                                                    \
	({                                                                    \
		struct s value;                                               \
		unsigned long long word;                                      \
                                                                              \
		memset(&value, 0, sizeof(value));                             \
		value.f--; /* all its bits */                                 \
		memcpy(&word, (const char *)&value + (offset), sizeof(word)); \
		v[n++] = (struct abi_value){#s "." #f, word};                 \
	})
#define ATTR_FLAG(f) FLAG(perf_event_attr, 40, f)
#define PAGE_FLAG(f) FLAG(perf_event_mmap_page, 40, f)

static size_t list_types(struct abi_value *v)
{
	size_t n = 0;

	VALUE(PERF_TYPE_HARDWARE), VALUE(PERF_TYPE_SOFTWARE), VALUE(PERF_TYPE_TRACEPOINT);
	VALUE(PERF_TYPE_HW_CACHE), VALUE(PERF_TYPE_RAW), VALUE(PERF_TYPE_BREAKPOINT);
	VALUE(PERF_COUNT_HW_CPU_CYCLES), VALUE(PERF_COUNT_HW_INSTRUCTIONS);
	VALUE(PERF_COUNT_HW_CACHE_REFERENCES), VALUE(PERF_COUNT_HW_CACHE_MISSES);
	VALUE(PERF_COUNT_HW_BRANCH_INSTRUCTIONS), VALUE(PERF_COUNT_HW_BRANCH_MISSES);
	VALUE(PERF_COUNT_HW_BUS_CYCLES), VALUE(PERF_COUNT_HW_STALLED_CYCLES_FRONTEND);
	VALUE(PERF_COUNT_HW_STALLED_CYCLES_BACKEND), VALUE(PERF_COUNT_HW_REF_CPU_CYCLES);
	VALUE(PERF_COUNT_SW_CPU_CLOCK), VALUE(PERF_COUNT_SW_TASK_CLOCK);
	VALUE(PERF_COUNT_SW_PAGE_FAULTS), VALUE(PERF_COUNT_SW_CONTEXT_SWITCHES);
	VALUE(PERF_COUNT_SW_CPU_MIGRATIONS), VALUE(PERF_COUNT_SW_PAGE_FAULTS_MIN);
	VALUE(PERF_COUNT_SW_PAGE_FAULTS_MAJ), VALUE(PERF_COUNT_SW_ALIGNMENT_FAULTS);
	VALUE(PERF_COUNT_SW_EMULATION_FAULTS), VALUE(PERF_COUNT_SW_DUMMY);
	VALUE(PERF_COUNT_SW_BPF_OUTPUT), VALUE(PERF_COUNT_SW_CGROUP_SWITCHES);
	VALUE(PERF_FLAG_FD_NO_GROUP), VALUE(PERF_FLAG_FD_OUTPUT);
	VALUE(PERF_FLAG_PID_CGROUP), VALUE(PERF_FLAG_FD_CLOEXEC);
	return n;
}

static size_t list_attr(struct abi_value *v)
{
	size_t n = 0;

	VALUE(PERF_ATTR_SIZE_VER0), VALUE(PERF_ATTR_SIZE_VER1), VALUE(PERF_ATTR_SIZE_VER2);
	VALUE(PERF_ATTR_SIZE_VER3), VALUE(PERF_ATTR_SIZE_VER4), VALUE(PERF_ATTR_SIZE_VER5);
	VALUE(PERF_ATTR_SIZE_VER6), VALUE(PERF_ATTR_SIZE_VER7);
	FIELD(perf_event_attr, type), FIELD(perf_event_attr, size);
	FIELD(perf_event_attr, config), FIELD(perf_event_attr, sample_period);
	FIELD(perf_event_attr, sample_freq), FIELD(perf_event_attr, sample_type);
	FIELD(perf_event_attr, read_format), FIELD(perf_event_attr, wakeup_events);
	FIELD(perf_event_attr, wakeup_watermark), FIELD(perf_event_attr, bp_type);
	FIELD(perf_event_attr, bp_addr), FIELD(perf_event_attr, config1);
	FIELD(perf_event_attr, kprobe_func), FIELD(perf_event_attr, uprobe_path);
	FIELD(perf_event_attr, bp_len), FIELD(perf_event_attr, config2);
	FIELD(perf_event_attr, kprobe_addr), FIELD(perf_event_attr, probe_offset);
	FIELD(perf_event_attr, branch_sample_type), FIELD(perf_event_attr, sample_regs_user);
	FIELD(perf_event_attr, sample_stack_user), FIELD(perf_event_attr, clockid);
	FIELD(perf_event_attr, sample_regs_intr), FIELD(perf_event_attr, aux_watermark);
	FIELD(perf_event_attr, sample_max_stack), FIELD(perf_event_attr, aux_sample_size);
	FIELD(perf_event_attr, sig_data);
	ATTR_FLAG(disabled), ATTR_FLAG(inherit), ATTR_FLAG(pinned), ATTR_FLAG(exclusive);
	ATTR_FLAG(exclude_user), ATTR_FLAG(exclude_kernel), ATTR_FLAG(exclude_hv);
	ATTR_FLAG(exclude_idle), ATTR_FLAG(mmap), ATTR_FLAG(comm), ATTR_FLAG(freq);
	ATTR_FLAG(inherit_stat), ATTR_FLAG(enable_on_exec), ATTR_FLAG(task);
	ATTR_FLAG(watermark), ATTR_FLAG(precise_ip), ATTR_FLAG(mmap_data);
	ATTR_FLAG(sample_id_all), ATTR_FLAG(exclude_host), ATTR_FLAG(exclude_guest);
	ATTR_FLAG(exclude_callchain_kernel), ATTR_FLAG(exclude_callchain_user);
	ATTR_FLAG(mmap2), ATTR_FLAG(comm_exec), ATTR_FLAG(use_clockid);
	ATTR_FLAG(context_switch), ATTR_FLAG(write_backward), ATTR_FLAG(namespaces);
	ATTR_FLAG(ksymbol), ATTR_FLAG(bpf_event), ATTR_FLAG(aux_output), ATTR_FLAG(cgroup);
	ATTR_FLAG(text_poke), ATTR_FLAG(build_id), ATTR_FLAG(inherit_thread);
	ATTR_FLAG(remove_on_exec), ATTR_FLAG(sigtrap);
	return n;
}

static size_t list_formats(struct abi_value *v)
{
	size_t n = 0;

	VALUE(PERF_SAMPLE_IP), VALUE(PERF_SAMPLE_TID), VALUE(PERF_SAMPLE_TIME);
	VALUE(PERF_SAMPLE_ADDR), VALUE(PERF_SAMPLE_READ), VALUE(PERF_SAMPLE_CALLCHAIN);
	VALUE(PERF_SAMPLE_ID), VALUE(PERF_SAMPLE_CPU), VALUE(PERF_SAMPLE_PERIOD);
	VALUE(PERF_SAMPLE_STREAM_ID), VALUE(PERF_SAMPLE_RAW), VALUE(PERF_SAMPLE_BRANCH_STACK);
	VALUE(PERF_SAMPLE_REGS_USER), VALUE(PERF_SAMPLE_STACK_USER), VALUE(PERF_SAMPLE_WEIGHT);
	VALUE(PERF_SAMPLE_DATA_SRC), VALUE(PERF_SAMPLE_IDENTIFIER);
	VALUE(PERF_SAMPLE_TRANSACTION), VALUE(PERF_SAMPLE_REGS_INTR);
	VALUE(PERF_SAMPLE_PHYS_ADDR), VALUE(PERF_SAMPLE_AUX), VALUE(PERF_SAMPLE_CGROUP);
	VALUE(PERF_SAMPLE_DATA_PAGE_SIZE), VALUE(PERF_SAMPLE_CODE_PAGE_SIZE);
	VALUE(PERF_SAMPLE_WEIGHT_STRUCT), VALUE(PERF_SAMPLE_MAX);
	VALUE(PERF_SAMPLE_REGS_ABI_NONE), VALUE(PERF_SAMPLE_REGS_ABI_32);
	VALUE(PERF_SAMPLE_REGS_ABI_64);
	VALUE(PERF_FORMAT_TOTAL_TIME_ENABLED), VALUE(PERF_FORMAT_TOTAL_TIME_RUNNING);
	VALUE(PERF_FORMAT_ID), VALUE(PERF_FORMAT_GROUP), VALUE(PERF_FORMAT_LOST);
	VALUE(PERF_CONTEXT_HV), VALUE(PERF_CONTEXT_KERNEL), VALUE(PERF_CONTEXT_USER);
	VALUE(PERF_CONTEXT_GUEST), VALUE(PERF_CONTEXT_GUEST_KERNEL);
	VALUE(PERF_CONTEXT_GUEST_USER), VALUE(PERF_CONTEXT_MAX);
	VALUE(PERF_MAX_STACK_DEPTH), VALUE(PERF_MAX_CONTEXTS_PER_STACK);
	return n;
}

static size_t list_requests(struct abi_value *v)
{
	size_t n = 0;

	VALUE(PERF_EVENT_IOC_ENABLE), VALUE(PERF_EVENT_IOC_DISABLE);
	VALUE(PERF_EVENT_IOC_REFRESH), VALUE(PERF_EVENT_IOC_RESET);
	VALUE(PERF_EVENT_IOC_PERIOD), VALUE(PERF_EVENT_IOC_SET_OUTPUT);
	VALUE(PERF_EVENT_IOC_SET_FILTER), VALUE(PERF_EVENT_IOC_ID);
	VALUE(PERF_EVENT_IOC_SET_BPF), VALUE(PERF_EVENT_IOC_PAUSE_OUTPUT);
	VALUE(PERF_EVENT_IOC_QUERY_BPF), VALUE(PERF_EVENT_IOC_MODIFY_ATTRIBUTES);
	VALUE(HW_BREAKPOINT_EMPTY), VALUE(HW_BREAKPOINT_R), VALUE(HW_BREAKPOINT_W);
	VALUE(HW_BREAKPOINT_RW), VALUE(HW_BREAKPOINT_X), VALUE(HW_BREAKPOINT_LEN_1);
	VALUE(HW_BREAKPOINT_LEN_2), VALUE(HW_BREAKPOINT_LEN_3), VALUE(HW_BREAKPOINT_LEN_4);
	VALUE(HW_BREAKPOINT_LEN_5), VALUE(HW_BREAKPOINT_LEN_6), VALUE(HW_BREAKPOINT_LEN_7);
	VALUE(HW_BREAKPOINT_LEN_8);
	VALUE(PERF_IOC_FLAG_GROUP);
	return n;
}

static size_t list_page(struct abi_value *v)
{
	size_t n = 0;

	VALUE(sizeof(struct perf_event_mmap_page));
	FIELD(perf_event_mmap_page, version), FIELD(perf_event_mmap_page, compat_version);
	FIELD(perf_event_mmap_page, lock), FIELD(perf_event_mmap_page, index);
	FIELD(perf_event_mmap_page, offset), FIELD(perf_event_mmap_page, time_enabled);
	FIELD(perf_event_mmap_page, time_running), FIELD(perf_event_mmap_page, capabilities);
	FIELD(perf_event_mmap_page, pmc_width), FIELD(perf_event_mmap_page, time_shift);
	FIELD(perf_event_mmap_page, time_mult), FIELD(perf_event_mmap_page, time_offset);
	FIELD(perf_event_mmap_page, time_zero), FIELD(perf_event_mmap_page, size);
	FIELD(perf_event_mmap_page, time_cycles), FIELD(perf_event_mmap_page, time_mask);
	FIELD(perf_event_mmap_page, __reserved);
	FIELD(perf_event_mmap_page, data_head), FIELD(perf_event_mmap_page, data_tail);
	FIELD(perf_event_mmap_page, data_offset), FIELD(perf_event_mmap_page, data_size);
	FIELD(perf_event_mmap_page, aux_head), FIELD(perf_event_mmap_page, aux_tail);
	FIELD(perf_event_mmap_page, aux_offset), FIELD(perf_event_mmap_page, aux_size);
	PAGE_FLAG(cap_bit0), PAGE_FLAG(cap_bit0_is_deprecated), PAGE_FLAG(cap_user_rdpmc);
	PAGE_FLAG(cap_user_time), PAGE_FLAG(cap_user_time_zero);
	PAGE_FLAG(cap_user_time_short);
	return n;
}

static size_t list_records(struct abi_value *v)
{
	size_t n = 0;

	VALUE(sizeof(struct perf_event_header));
	FIELD(perf_event_header, type), FIELD(perf_event_header, misc);
	FIELD(perf_event_header, size);
	VALUE(PERF_RECORD_MISC_CPUMODE_MASK), VALUE(PERF_RECORD_MISC_CPUMODE_UNKNOWN);
	VALUE(PERF_RECORD_MISC_KERNEL), VALUE(PERF_RECORD_MISC_USER);
	VALUE(PERF_RECORD_MISC_HYPERVISOR), VALUE(PERF_RECORD_MISC_GUEST_KERNEL);
	VALUE(PERF_RECORD_MISC_GUEST_USER), VALUE(PERF_RECORD_MISC_PROC_MAP_PARSE_TIMEOUT);
	VALUE(PERF_RECORD_MISC_MMAP_DATA), VALUE(PERF_RECORD_MISC_COMM_EXEC);
	VALUE(PERF_RECORD_MISC_FORK_EXEC), VALUE(PERF_RECORD_MISC_SWITCH_OUT);
	VALUE(PERF_RECORD_MISC_EXACT_IP), VALUE(PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
	VALUE(PERF_RECORD_MISC_MMAP_BUILD_ID), VALUE(PERF_RECORD_MISC_EXT_RESERVED);
	VALUE(PERF_RECORD_MMAP), VALUE(PERF_RECORD_LOST), VALUE(PERF_RECORD_COMM);
	VALUE(PERF_RECORD_EXIT), VALUE(PERF_RECORD_THROTTLE), VALUE(PERF_RECORD_UNTHROTTLE);
	VALUE(PERF_RECORD_FORK), VALUE(PERF_RECORD_READ), VALUE(PERF_RECORD_SAMPLE);
	VALUE(PERF_RECORD_MMAP2), VALUE(PERF_RECORD_AUX), VALUE(PERF_RECORD_ITRACE_START);
	VALUE(PERF_RECORD_LOST_SAMPLES), VALUE(PERF_RECORD_SWITCH);
	VALUE(PERF_RECORD_SWITCH_CPU_WIDE), VALUE(PERF_RECORD_NAMESPACES);
	VALUE(PERF_RECORD_KSYMBOL), VALUE(PERF_RECORD_BPF_EVENT), VALUE(PERF_RECORD_CGROUP);
	VALUE(PERF_RECORD_TEXT_POKE), VALUE(PERF_RECORD_AUX_OUTPUT_HW_ID);
	return n;
}

size_t ABI_LIST(struct abi_value *v)
{
	size_t n = list_types(v);

	n += list_attr(v + n);
	n += list_formats(v + n);
	n += list_requests(v + n);
	n += list_page(v + n);
	n += list_records(v + n);
	return n;
}
